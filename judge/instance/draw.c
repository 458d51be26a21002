/* draw.c -- see draw.h. SPDX-License-Identifier: Apache-2.0 */
#include "judge/instance/draw.h"

uint64_t judge_next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void judge_draws_new(struct judge_draws *d, struct arena *a, uint64_t seed) {
    *d = (struct judge_draws){.arena = a, .state = seed};
}

void judge_draws_replay(struct judge_draws *d, struct arena *a, uint32_t n,
                        const uint32_t *numbers) {
    static const uint32_t none;
    *d = (struct judge_draws){.arena = a, .replay = n ? numbers : &none, .nreplay = n};
}

uint32_t judge_draw_wish(struct judge_draws *d, uint32_t below, uint32_t wish) {
    uint32_t x = wish;
    if (d->replay) {
        x = d->taken.len < d->nreplay ? d->replay[d->taken.len] : 0;
        x = rw_min_u32(x, below - 1);
    }
    vec_push(d->arena, &d->taken, x);
    return x;
}

uint32_t judge_draw(struct judge_draws *d, uint32_t below) {
    uint32_t x = d->replay ? 0 : (uint32_t)(judge_next(&d->state) >> 32) % below;
    return judge_draw_wish(d, below, x);
}

bool judge_chance(struct judge_draws *d, uint32_t percent) {
    return judge_draw(d, 100) >= 100 - percent;
}

/* draw.h -- every decision of a generator as one number, recorded, so that it can be made
 * again, and made simpler.
 *
 * 0 is always the simplest answer. An instance is what its numbers make of it; shrinking it
 * is to leave out numbers and to lower them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_INSTANCE_DRAW_H
#define JUDGE_INSTANCE_DRAW_H

#include "base/vec.h"

struct judge_draws {
    struct arena *arena;
    uint64_t state;          /* where new numbers come from */
    const uint32_t *replay;  /* or NULL: numbers to be used; behind the last it is 0 */
    uint32_t nreplay;
    VEC(uint32_t) taken;
};

/* New numbers from a seed. */
void judge_draws_new(struct judge_draws *d, struct arena *a, uint64_t seed);
/* Those given. */
void judge_draws_replay(struct judge_draws *d, struct arena *a, uint32_t n,
                        const uint32_t *numbers);
/* 0 .. below - 1; below is at least 1. */
uint32_t judge_draw(struct judge_draws *d, uint32_t below);
/* True in that many of a hundred cases; false is the simple answer. */
bool judge_chance(struct judge_draws *d, uint32_t percent);
/* The choice `wish` where numbers are new, so that it can be asked for. */
uint32_t judge_draw_wish(struct judge_draws *d, uint32_t below, uint32_t wish);

/* A generator of its own, for data: splitmix64. */
uint64_t judge_next(uint64_t *state);

#endif

/* defines.c -- parameters of packs: defaults, and -D NAME=VALUE.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/match.h"

#include <errno.h>
#include <math.h>

static bool parse_int(const char *text, struct pm_val *out) {
    char *end;
    errno = 0;
    long long i = strtoll(text, &end, 10);
    if (errno || end == text || *end) return false;
    *out = pm_int(i);
    return true;
}

static bool parse_value(const struct rule_param *d, const char *text, struct pm_val *out) {
    char *end;
    switch (d->type) {
    case PARAM_INT: return parse_int(text, out);
    case PARAM_FLOAT: {
        double x = strtod(text, &end);
        *out = pm_real(x, 0);
        return end != text && !*end && isfinite(x);
    }
    case PARAM_BOOL:
        *out = pm_bool(rw_streq(text, "true") ? IR_TRUE : IR_FALSE);
        return rw_streq(text, "true") || rw_streq(text, "false");
    case PARAM_STRING:
        *out = (struct pm_val){.kind = VAL_STRING, .s = {text, strlen(text)}};
        return true;
    }
    return false;
}

static const char *type_name(const struct rule_param *d) {
    static const char *const names[] = {"an integer", "a number", "a text",
                                        "true or false"};
    return names[d->type];
}

static enum rw_code check_define(const struct pm_auto *p, const struct pm_define *d,
                                 struct diag_sink *diags) {
    bool known = false;
    for (uint32_t i = 0; i < p->packs.len; i++)
        for (uint32_t k = 0; k < p->packs.at[i]->nparams; k++) {
            const struct rule_param *x = &p->packs.at[i]->params[k];
            struct pm_val v;
            if (!rw_streq(x->name, d->name)) continue;
            known = true;
            if (parse_value(x, d->value, &v)) continue;
            diag_where(diags, DIAG_ERROR, NULL, "parameter \"%s\" is %s, not \"%s\"",
                       d->name, type_name(x), d->value);
            return RW_USAGE;
        }
    if (known) return RW_OK;
    diag_where(diags, DIAG_ERROR, NULL, "no pack has a parameter \"%s\"", d->name);
    return RW_USAGE;
}

enum rw_code pm_check_defines(const struct pm_auto *p, const struct pm_options *o,
                              struct diag_sink *diags) {
    for (uint32_t i = 0; i < o->ndefines; i++) TRY(check_define(p, &o->defines[i], diags));
    return RW_OK;
}

static struct pm_val default_of(const struct rule_param *d, const struct pm_auto *p,
                                struct ir_model *m, struct arena *a) {
    if (!d->value) return (struct pm_val){.kind = VAL_ABSENT};
    struct pm_env env = {.site = {.p = p, .g = m->main, .arena = a},
                         .opset = ir_opset(m->main, ""), .budget = 1000};
    return pm_eval(&env, d->value);
}

void pm_params_init(struct pm_params *out, const struct pm_auto *p, struct ir_model *m,
                    const struct pm_options *o, struct arena *a) {
    const struct pm_val **of_pack = arena_array(a, p->packs.len, sizeof *of_pack);
    for (uint32_t i = 0; i < p->packs.len; i++) {
        const struct rule_pack *pack = p->packs.at[i];
        struct pm_val *v = arena_new_array(a, struct pm_val, pack->nparams);
        for (uint32_t k = 0; k < pack->nparams; k++) {
            v[k] = default_of(&pack->params[k], p, m, a);
            for (uint32_t d = 0; o && d < o->ndefines; d++)
                if (rw_streq(o->defines[d].name, pack->params[k].name))
                    parse_value(&pack->params[k], o->defines[d].value, &v[k]);
        }
        of_pack[i] = v;
    }
    out->of_pack = of_pack;
    out->natives = o ? o->natives : NULL;
}

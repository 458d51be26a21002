/* onnxrw.h -- rewriting ONNX models by rules, as a library.
 *
 *     const char *packs[] = {"bert.rules"};
 *     struct onnxrw_rules *rules;
 *     struct onnxrw_model *model;
 *     if (onnxrw_load_rules(packs, 1, &rules) != ONNXRW_OK)
 *         fputs(onnxrw_rules_messages(rules), stderr);
 *     else if (onnxrw_read("bert.onnx", &model) != ONNXRW_OK ||
 *              onnxrw_run(model, rules, NULL) != ONNXRW_OK ||
 *              onnxrw_write(model, "bert.opt.onnx", NULL) != ONNXRW_OK)
 *         fputs(onnxrw_messages(model), stderr);
 *
 * Every function that fails leaves at least one message with its object, which exists
 * also after a failure and is freed by its own function. Loaded rules do not change and
 * may be shared between threads; a model belongs to one thread at a time. Texts that are
 * returned live as long as their object, or until the next call that takes it.
 *
 * When memory runs out the process is ended.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ONNXRW_H
#define ONNXRW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are the exit statuses of the command. */
enum onnxrw_status {
    ONNXRW_OK = 0,
    ONNXRW_WRONG = 1,  /* a rewrite was found wrong, or the rules do not come to an end */
    ONNXRW_USAGE = 2,  /* a bad rules file, or an unknown parameter */
    ONNXRW_FORMAT = 3, /* the model cannot be read or is malformed */
    ONNXRW_OUTPUT = 4  /* the output cannot be written */
};

enum onnxrw_target { ONNXRW_ORT, ONNXRW_ORT_CPU, ONNXRW_ORT_CUDA, ONNXRW_STANDARD };
enum onnxrw_level { ONNXRW_EXACT, ONNXRW_FLOAT, ONNXRW_APPROX };

struct onnxrw_options {
    size_t size; /* of this struct, as ONNXRW_OPTIONS sets it */
    enum onnxrw_target target;
    enum onnxrw_level level;
    int64_t opset;        /* raise the model to it first; 0: no wish */
    int keep_opset;       /* leave out rules that need a newer opset */
    int share_weights;    /* refer to the weights in the input file */
    int inline_functions; /* put the nodes of functions where they are called */
    int durable;          /* be sure that the output is on the disk */
    const char *const *defines; /* pairs: name, value, name, value ... */
    size_t ndefines;      /* number of pairs */
};
#define ONNXRW_OPTIONS                                                                     \
    {sizeof(struct onnxrw_options), ONNXRW_ORT, ONNXRW_FLOAT, 0, 0, 0, 0, 0, NULL, 0}

const char *onnxrw_version(void);

/* --- rules -------------------------------------------------------------------------- */
struct onnxrw_rules;
/* Loads packs, by path or by name, and compiles them. Without any: auto.rules. */
enum onnxrw_status onnxrw_load_rules(const char *const *packs, size_t npacks,
                                     struct onnxrw_rules **out);
const char *onnxrw_rules_messages(const struct onnxrw_rules *rules);
void onnxrw_free_rules(struct onnxrw_rules *rules);

/* --- models ------------------------------------------------------------------------- */
struct onnxrw_model;
enum onnxrw_status onnxrw_read(const char *path, struct onnxrw_model **out);
/* Applies the rules until none applies any more. options NULL: the defaults. */
enum onnxrw_status onnxrw_run(struct onnxrw_model *model, const struct onnxrw_rules *rules,
                              const struct onnxrw_options *options);
/* Writes the model: complete under its name, or not at all. */
enum onnxrw_status onnxrw_write(struct onnxrw_model *model, const char *path,
                                const struct onnxrw_options *options);
/* The messages of all calls so far, errors and warnings, a line or more each. */
const char *onnxrw_messages(struct onnxrw_model *model);
/* The model in ONNX text, large constants left out. */
const char *onnxrw_text(struct onnxrw_model *model);
size_t onnxrw_nodes(const struct onnxrw_model *model);
/* Rule number i of those that the last run applied, and how often; NULL behind the last. */
const char *onnxrw_applied(const struct onnxrw_model *model, size_t i, size_t *times);
void onnxrw_free_model(struct onnxrw_model *model);

#ifdef __cplusplus
}
#endif

#endif

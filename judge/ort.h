/* ort.h -- running models in ONNX Runtime, with its optimisations off unless they are asked
 * for.
 *
 * The runtime is a shared library that is looked for and loaded when it is asked for, in
 * a worker process: whatever it does there, crash, hang, or take all memory, is reported
 * as the outcome of the job, and the next job gets a new worker. Outcomes are no
 * diagnostics: the caller knows what they mean.
 *
 *     struct judge *j;
 *     TRY(judge_open(&(struct judge_options){0}, diags, &j));
 *     uint32_t session;
 *     if (judge_load(j, &(struct judge_model){.path = "m.onnx"}, &session) != JUDGE_OK ||
 *         judge_run(j, session, &inputs, NULL, 0, &arena, &outputs) != JUDGE_OK)
 *         say(judge_message(j));
 *     judge_close(j);
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_ORT_H
#define JUDGE_ORT_H

#include "ir/ir.h"

struct judge_options {
    const char *library; /* path of libonnxruntime.so; NULL: judge_find */
    uint32_t threads;    /* of a session; 0: one */
    double seconds;      /* most time of one job; 0: 60 */
    uint64_t memory;     /* most memory of the runtime, in bytes; 0: 8 GiB */
    /* As it is deployed, to be timed: with all its optimisations but those named, `;` between
     * them, threads that spin, memory that is kept. */
    bool optimise;
    const char *disabled; /* or NULL */
};

/* The runtime's library: $ONNXRW_ORT, the onnxruntime package of a Python that is there
 * ($VIRTUAL_ENV, .venv of the source tree, python3 on PATH), or NULL: the loader may know.
 * In *a. */
const char *judge_find(struct arena *a);

/* The session option of the runtime that `disabled` is the value of. */
#define JUDGE_DISABLE "optimization.disable_specified_optimizers"

struct judge;
/* Starts the worker, so that a judge that is there can judge. RW_USAGE and a diagnostic
 * that says what to install when the runtime is not found, or too old. */
enum rw_code judge_open(const struct judge_options *o, struct diag_sink *diags,
                        struct judge **out);
void judge_close(struct judge *j);
const char *judge_version(const struct judge *j); /* "1.32.0" */

enum judge_outcome {
    JUDGE_OK,
    JUDGE_REFUSED, /* the runtime reported an error */
    JUDGE_CRASHED, /* the worker ended, and the sessions with it */
    JUDGE_LATE     /* the time limit; the worker was ended */
};
/* What the last outcome was due to: the runtime's own words, or how the worker ended. */
const char *judge_message(const struct judge *j);

struct judge_model {
    const char *path;   /* a file; or NULL: */
    const void *bytes;
    size_t len;
    const char *folder; /* of the external data of bytes, or NULL */
    /* Names of values of the main graph that are to be outputs too; none that is one. */
    const char *const *reveal;
    uint32_t nreveal;
};
/* The model as bytes, without going through a file: its own, or in *a. RW_OUTPUT with a
 * diagnostic when it cannot be written so. */
enum rw_code judge_model_of(struct ir_model *m, struct arena *a, struct diag_sink *diags,
                            struct judge_model *out);
/* The same, but that weights stay in the file that the model was read from, where there is
 * one, which the runtime then reads them from. */
enum rw_code judge_model_shared(struct ir_model *m, struct arena *a,
                                struct diag_sink *diags, struct judge_model *out);

/* A value by name. Tensors are in memory: raw layout, or strings. */
struct judge_value {
    const char *name;
    struct ir_tensor *tensor; /* NULL: no tensor, not compared */
    const char *kind;         /* then what it is: "sequence", "map", ... */
};
struct judge_values {
    struct judge_value *at;
    uint32_t n;
};

/* Several sessions may be open; a job that crashes takes all along. */
enum judge_outcome judge_load(struct judge *j, const struct judge_model *m,
                              uint32_t *session);
/* Runs with inputs by name; *out has the wanted outputs, in that order, or all of them
 * (nwanted 0) in the order of the model, revealed ones behind; in *a. */
enum judge_outcome judge_run(struct judge *j, uint32_t session,
                             const struct judge_values *in, const char *const *wanted,
                             uint32_t nwanted, struct arena *a, struct judge_values *out);
/* Runs once or twice unmeasured, then until `seconds` are spent and some runs were made: how
 * long each took, in *a. */
struct judge_times { double *at; uint32_t n; };
enum judge_outcome judge_time(struct judge *j, uint32_t session,
                              const struct judge_values *in, double seconds,
                              struct arena *a, struct judge_times *out);
/* What the runtime makes of a model by its optimisations, as a number: where two models have
 * the same, they run the same operators on the same types of values, whatever these are
 * called. */
enum judge_outcome judge_outline(struct judge *j, const struct judge_model *m,
                                 uint64_t *outline);
void judge_unload(struct judge *j, uint32_t session);
/* Load, one run, unload. */
enum judge_outcome judge_once(struct judge *j, const struct judge_model *m,
                              const struct judge_values *in, struct arena *a,
                              struct judge_values *out);

#endif

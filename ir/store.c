#include "ir/model.h"
enum rw_code ir_model_write(struct ir_model *m, const char *path,
                            const struct ir_write_options *o, struct diag_sink *diags) {
    RW_UNUSED(m); RW_UNUSED(path); RW_UNUSED(o);
    diag_where(diags, DIAG_ERROR, path, "writing is not there yet");
    return RW_OUTPUT;
}

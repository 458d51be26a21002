/* stub */
#include "dsl/lower.h"
void dsl_check_ops(struct lower *l) { RW_UNUSED(l); }
void dsl_check_exprs(struct lower *l) { RW_UNUSED(l); }
void dsl_check_names(struct lower *l) { RW_UNUSED(l); }
void dsl_measure(struct lower *l) { RW_UNUSED(l); }

/* ir.h -- the public header of ir/: models, graphs, and what is known of operators.
 *
 * Headers of ir/ that are not included here are private to the folder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_IR_H
#define IR_IR_H

#include "ir/attr.h"
#include "ir/dim.h"
#include "ir/eval.h"
#include "ir/graph.h"
#include "ir/infer.h"
#include "ir/model.h"
#include "ir/param.h"
#include "ir/pass.h"
#include "ir/reform.h"
#include "ir/schema.h"
#include "ir/slice.h"
#include "ir/tensor.h"
#include "ir/text.h"
#include "ir/type.h"
#include "ir/verify.h"
#include "ir/where.h"

#endif

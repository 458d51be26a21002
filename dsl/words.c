/* words.c -- classes and targets as rules and people write them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/rule.h"

const char *const rule_class_words[CLASS_N] = {"exact", "float", "approx"};
const char *const rule_target_words[TARGET_WORDS] = {"onnx", "ort", "ort-cpu", "ort-cuda"};

const char *rule_target_word(uint32_t targets) {
    for (uint32_t i = 0; i < TARGET_WORDS; i++)
        if (targets >> i & 1) return rule_target_words[i];
    return rule_target_words[0];
}

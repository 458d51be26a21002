/* matcher_rewrite_test.c -- what language.md's table says, row by row: which nodes are there
 * after a rule was run over a graph.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

#define BECOMES(rules, model, nodes)                                                   \
    do {                                                                               \
        const char *found_ = kit_rewrite(rules, model);                                \
        if (strcmp(found_, nodes) != 0) printf("\nfound:\n%swanted:\n%s", found_, nodes); \
        CU_ASSERT_STRING_EQUAL(found_, nodes);                                         \
    } while (0)

static void the_same_name_twice_is_the_same_value(void) {
    BECOMES("rule r: Add(Neg(x), x) => Relu(x)\n",
            "(float[2] a, float[2] b) => (float[2] y, float[2] z) {"
            "  m = Neg(a)  y = Add(m, a)  n = Neg(b)  z = Add(n, a) }",
            "y = Relu (a)\n"
            "n = Neg (b)\n"
            "z = Add (n, a)\n");
}

static void commutative_operands_come_in_either_order(void) {
    BECOMES("rule r: Add(Neg(x), y) => Sub(y, x)\n",
            "(float[2] a, float[2] b) => (float[2] y, float[2] z) {"
            "  m = Neg(a)  y = Add(b, m)  n = Neg(b)  z = Add(n, a) }",
            "y = Sub (b, a)\n"
            "z = Sub (a, b)\n");
    BECOMES("rule r: Add!(Neg(x), y) => Sub(y, x)\n",
            "(float[2] a, float[2] b) => (float[2] y) { m = Neg(a)  y = Add(b, m) }",
            "m = Neg (a)\n"
            "y = Add (b, m)\n");
}

void add_matcher_rewrite_suite(void);
void add_matcher_rewrite_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: rewriting", NULL, NULL);
    CU_ADD_TEST(s, the_same_name_twice_is_the_same_value);
    CU_ADD_TEST(s, commutative_operands_come_in_either_order);
}

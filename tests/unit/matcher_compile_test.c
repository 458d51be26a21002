/* matcher_compile_test.c -- what rules become: shared beginnings, skipped blocks, errors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static const char *const graph = "(float[2] a) => (float[2] y) { y = Neg(a) }";

static void shows(const char *rules, const char *text) {
    struct kit k;
    kit_open(&k, rules, NULL, graph);
    CU_ASSERT_PTR_NOT_NULL_FATAL(k.rules);
    struct buf b = {0};
    pm_dump(k.rules, &b);
    if (strcmp(buf_text(&b), text) != 0) printf("\n%s", buf_text(&b));
    CU_ASSERT_STRING_EQUAL(buf_text(&b), text);
    buf_free(&b);
    kit_close(&k);
}

static void rules_with_one_root_share_their_beginning(void) {
    shows("rule a: Relu(Neg(x)) => Abs(x)\n"
          "rule b: Relu(Neg(Exp(x))) => Abs(x)\n"
          "rule c: Relu(Sub(x, x)) => Abs(x)\n"
          "rule d: Neg(Neg(x)) => x\n",
          "phase test.test\n"
          "Relu: 7 registers\n"
          "    0  OUT       r1 r0 0\n"
          "    1  NAMED     r0 1 operands\n"
          "    2  ARG       r2 r0 0\n"
          "    3  PROD      r3 r2 0\n"
          "    4  TRY       -> 17\n"
          "    5  OP        r3 Neg\n"
          "    6  NAMED     r3 1 operands\n"
          "    7  ARG       r4 r3 0\n"
          "    8  TRY       -> 15\n"
          "    9  PROD      r5 r4 0\n"
          "   10  OP        r5 Exp\n"
          "   11  NAMED     r5 1 operands\n"
          "   12  ARG       r6 r5 0\n"
          "   13  PRESENT   r6\n"
          "   14  ACCEPT    b\n"
          "   15  PRESENT   r4\n"
          "   16  ACCEPT    a\n"
          "   17  OP        r3 Sub\n"
          "   18  NAMED     r3 2 operands\n"
          "   19  ARG       r4 r3 0\n"
          "   20  PRESENT   r4\n"
          "   21  ARG       r5 r3 1\n"
          "   22  SAME      r4 r5\n"
          "   23  ACCEPT    c\n"
          "Neg: 5 registers\n"
          "   24  OUT       r1 r0 0\n"
          "   25  NAMED     r0 1 operands\n"
          "   26  ARG       r2 r0 0\n"
          "   27  PROD      r3 r2 0\n"
          "   28  OP        r3 Neg\n"
          "   29  NAMED     r3 1 operands\n"
          "   30  ARG       r4 r3 0\n"
          "   31  PRESENT   r4\n"
          "   32  ACCEPT    d\n");
}

static void what_some_alternative_binds_is_asked_later(void) {
    shows("rule r { match { d = Neg(x)  y = Relu(d | Exp(d)) } emit { y = Abs(x) } }\n",
          "phase test.test\n"
          "Relu: 8 registers\n"
          "    0  OUT       r1 r0 0\n"
          "    1  NAMED     r0 1 operands\n"
          "    2  ARG       r2 r0 0\n"
          "    3  CLEAR     r3 r6\n"
          "    4  TRY       -> 8\n"
          "    5  PRESENT   r2\n"
          "    6  MEET      r3 r2\n"
          "    7  JUMP      -> 14\n"
          "    8  PROD      r4 r2 0\n"
          "    9  OP        r4 Exp\n"
          "   10  NAMED     r4 1 operands\n"
          "   11  ARG       r5 r4 0\n"
          "   12  PRESENT   r5\n"
          "   13  MEET      r3 r5\n"
          "   14  PROD      r6 r3 0\n"
          "   15  OP        r6 Neg\n"
          "   16  NAMED     r6 1 operands\n"
          "   17  ARG       r7 r6 0\n"
          "   18  PRESENT   r7\n"
          "   19  ACCEPT    r\n");
}

static void a_root_must_be_an_operator(void) {
    struct kit k;
    kit_open(&k, "rule r: Cast?(x) => x\n", NULL, graph);
    CU_ASSERT_PTR_NULL(k.rules);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_messages(&k), "without an operator"));
    kit_close(&k);
}

void add_matcher_compile_suite(void);
void add_matcher_compile_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: compiling", NULL, NULL);
    CU_ADD_TEST(s, rules_with_one_root_share_their_beginning);
    CU_ADD_TEST(s, what_some_alternative_binds_is_asked_later);
    CU_ADD_TEST(s, a_root_must_be_an_operator);
}

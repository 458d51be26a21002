/* main.c -- runs the unit suites, or the one of the argument; the list is made by CMake
 * from the files beside this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/base.h"

#include <CUnit/Basic.h>

struct suite {
    const char *name;
    void (*add)(void);
};
#include "suites.inc"

int main(int argc, char **argv) {
    if (CU_initialize_registry() != CUE_SUCCESS) return 1;
    for (size_t i = 0; i < countof(suites); i++)
        if (argc < 2 || rw_streq(argv[1], suites[i].name)) suites[i].add();
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures(), run = CU_get_number_of_tests_run();
    CU_cleanup_registry();
    return failed != 0 || run == 0;
}

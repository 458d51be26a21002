/* main.c -- runs every unit suite; the list is made by CMake from the files beside this.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CUnit/Basic.h>

#include "suites.inc"

int main(void) {
    if (CU_initialize_registry() != CUE_SUCCESS) return 1;
    add_suites();
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures(), run = CU_get_number_of_tests_run();
    CU_cleanup_registry();
    return failed != 0 || run == 0;
}

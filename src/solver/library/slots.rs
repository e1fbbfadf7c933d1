//! A slot for each function of Z3, and the jump through it.
//!
//! The names are those that the package `z3` calls. One that it calls and that is not here would be linked as ever: the
//! command would work, and not start without Z3, which `tests/commands/solver.rs` would see.

use super::load_or_end;
use std::arch::global_asm;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a jump does that finds its slot empty: all registers that hold arguments are kept while the library is loaded.
#[cfg(target_arch = "x86_64")]
macro_rules! first_jump {
    () => {
        ".pushsection .text.systole_z3,\"ax\",@progbits
        .hidden systole_z3_first
        .globl systole_z3_first
        systole_z3_first:
            push rbp
            mov rbp, rsp
            push rdi
            push rsi
            push rdx
            push rcx
            push r8
            push r9
            sub rsp, 128
            movups [rsp], xmm0
            movups [rsp + 16], xmm1
            movups [rsp + 32], xmm2
            movups [rsp + 48], xmm3
            movups [rsp + 64], xmm4
            movups [rsp + 80], xmm5
            movups [rsp + 96], xmm6
            movups [rsp + 112], xmm7
            and rsp, -16
            call {load}
            lea rsp, [rbp - 176]
            movups xmm0, [rsp]
            movups xmm1, [rsp + 16]
            movups xmm2, [rsp + 32]
            movups xmm3, [rsp + 48]
            movups xmm4, [rsp + 64]
            movups xmm5, [rsp + 80]
            movups xmm6, [rsp + 96]
            movups xmm7, [rsp + 112]
            add rsp, 128
            pop r9
            pop r8
            pop rcx
            pop rdx
            pop rsi
            pop rdi
            pop rbp
            ret
        .popsection"
    };
}

/// As above.
#[cfg(target_arch = "aarch64")]
macro_rules! first_jump {
    () => {
        ".pushsection .text.systole_z3,\"ax\",@progbits
        .hidden systole_z3_first
        .globl systole_z3_first
        systole_z3_first:
            stp x29, x30, [sp, #-208]!
            mov x29, sp
            stp x0, x1, [sp, #16]
            stp x2, x3, [sp, #32]
            stp x4, x5, [sp, #48]
            stp x6, x7, [sp, #64]
            stp q0, q1, [sp, #80]
            stp q2, q3, [sp, #112]
            stp q4, q5, [sp, #144]
            stp q6, q7, [sp, #176]
            bl {load}
            ldp x0, x1, [sp, #16]
            ldp x2, x3, [sp, #32]
            ldp x4, x5, [sp, #48]
            ldp x6, x7, [sp, #64]
            ldp q0, q1, [sp, #80]
            ldp q2, q3, [sp, #112]
            ldp q4, q5, [sp, #144]
            ldp q6, q7, [sp, #176]
            ldp x29, x30, [sp], #208
            ret
        .popsection"
    };
}

/// From a function to where its slot says, or first to what fills all slots.
#[cfg(target_arch = "x86_64")]
macro_rules! through_slot {
    ($name:ident) => {
        concat!(
            "mov rax, [rip + systole_slot_",
            stringify!($name),
            "]
            test rax, rax
            jz 2f
            jmp rax
        2:  sub rsp, 8
            call systole_z3_first
            add rsp, 8
            jmp ",
            stringify!($name)
        )
    };
}

/// As above.
#[cfg(target_arch = "aarch64")]
macro_rules! through_slot {
    ($name:ident) => {
        concat!(
            "adrp x16, systole_slot_",
            stringify!($name),
            "
            add x16, x16, :lo12:systole_slot_",
            stringify!($name),
            "
            ldar x16, [x16]
            cbz x16, 2f
            br x16
        2:  stp x29, x30, [sp, #-16]!
            bl systole_z3_first
            ldp x29, x30, [sp], #16
            b ",
            stringify!($name)
        )
    };
}

/// The slot of a function, and the function itself.
macro_rules! jump {
    ($name:ident) => {
        concat!(
            ".pushsection .data.systole_z3,\"aw\",@progbits
        systole_slot_",
            stringify!($name),
            ": .quad 0
        .popsection
        .pushsection .text.systole_z3,\"ax\",@progbits
        .hidden ",
            stringify!($name),
            "
        .globl ",
            stringify!($name),
            "
        .type ",
            stringify!($name),
            ",@function
        ",
            stringify!($name),
            ":
            ",
            through_slot!($name),
            "
        .popsection"
        )
    };
}

macro_rules! functions {
    ($($name:ident)*) => {
        /// The functions of Z3, in the order of their slots.
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];

        global_asm!(
            ".pushsection .data.systole_z3,\"aw\",@progbits
            .balign 8
            .hidden systole_z3_slots
            .globl systole_z3_slots
            systole_z3_slots:
            .popsection",
            $(jump!($name),)*
            first_jump!(),
            load = sym load_or_end,
        );
    };
}

functions! {
    Z3_add_const_interp Z3_add_rec_def Z3_algebraic_add Z3_algebraic_div Z3_algebraic_eq Z3_algebraic_gt
    Z3_algebraic_is_neg Z3_algebraic_is_pos Z3_algebraic_is_value Z3_algebraic_is_zero Z3_algebraic_lt
    Z3_algebraic_mul Z3_algebraic_power Z3_algebraic_root Z3_algebraic_sign Z3_algebraic_sub
    Z3_apply_result_dec_ref Z3_apply_result_get_num_subgoals Z3_apply_result_get_subgoal Z3_apply_result_inc_ref
    Z3_ast_to_string Z3_ast_vector_dec_ref Z3_ast_vector_get Z3_ast_vector_inc_ref Z3_ast_vector_push
    Z3_ast_vector_resize Z3_ast_vector_set Z3_ast_vector_size Z3_ast_vector_to_string Z3_ast_vector_translate
    Z3_benchmark_to_smtlib_string Z3_datatype_update_field Z3_dec_ref Z3_del_config Z3_del_constructor
    Z3_del_constructor_list Z3_del_context Z3_fixedpoint_add_cover Z3_fixedpoint_add_fact Z3_fixedpoint_add_rule
    Z3_fixedpoint_assert Z3_fixedpoint_dec_ref Z3_fixedpoint_from_file Z3_fixedpoint_from_string
    Z3_fixedpoint_get_answer Z3_fixedpoint_get_cover_delta Z3_fixedpoint_get_help Z3_fixedpoint_get_num_levels
    Z3_fixedpoint_get_reason_unknown Z3_fixedpoint_get_statistics Z3_fixedpoint_inc_ref Z3_fixedpoint_query
    Z3_fixedpoint_query_relations Z3_fixedpoint_register_relation Z3_fixedpoint_set_params Z3_fixedpoint_to_string
    Z3_fixedpoint_update_rule Z3_fpa_get_ebits Z3_fpa_get_sbits Z3_func_decl_to_ast Z3_func_decl_to_string
    Z3_func_entry_dec_ref Z3_func_entry_get_arg Z3_func_entry_get_num_args Z3_func_entry_get_value
    Z3_func_entry_inc_ref Z3_func_interp_add_entry Z3_func_interp_dec_ref Z3_func_interp_get_arity
    Z3_func_interp_get_else Z3_func_interp_get_entry Z3_func_interp_get_num_entries Z3_func_interp_inc_ref
    Z3_func_interp_set_else Z3_get_app_arg Z3_get_app_decl Z3_get_app_num_args Z3_get_arity
    Z3_get_array_sort_domain Z3_get_array_sort_range Z3_get_as_array_func_decl Z3_get_ast_hash Z3_get_ast_id
    Z3_get_ast_kind Z3_get_bool_value Z3_get_bv_sort_size Z3_get_datatype_sort_constructor
    Z3_get_datatype_sort_constructor_accessor Z3_get_datatype_sort_recognizer Z3_get_decl_kind Z3_get_decl_name
    Z3_get_domain Z3_get_domain_size Z3_get_error_code Z3_get_error_msg Z3_get_finite_set_sort_basis
    Z3_get_full_version Z3_get_num_probes Z3_get_num_tactics Z3_get_numeral_decimal_string Z3_get_numeral_double
    Z3_get_numeral_int64 Z3_get_numeral_small Z3_get_numeral_string Z3_get_numeral_uint64 Z3_get_probe_name
    Z3_get_range Z3_get_sort Z3_get_sort_kind Z3_get_string Z3_get_symbol_int Z3_get_symbol_kind
    Z3_get_symbol_string Z3_get_tactic_name Z3_get_version Z3_global_param_get Z3_global_param_reset_all
    Z3_global_param_set Z3_goal_assert Z3_goal_dec_ref Z3_goal_depth Z3_goal_formula Z3_goal_inc_ref
    Z3_goal_inconsistent Z3_goal_is_decided_sat Z3_goal_is_decided_unsat Z3_goal_num_exprs Z3_goal_precision
    Z3_goal_reset Z3_goal_size Z3_goal_to_string Z3_goal_translate Z3_inc_ref Z3_interrupt Z3_is_as_array
    Z3_is_char_sort Z3_is_eq_ast Z3_is_eq_sort Z3_is_finite_set_sort Z3_is_numeral_ast Z3_is_string_sort Z3_mk_add
    Z3_mk_and Z3_mk_app Z3_mk_array_sort Z3_mk_as_array Z3_mk_ast_vector Z3_mk_atleast Z3_mk_atmost Z3_mk_bool_sort
    Z3_mk_bv2int Z3_mk_bv_numeral Z3_mk_bv_sort Z3_mk_bvadd Z3_mk_bvadd_no_overflow Z3_mk_bvadd_no_underflow
    Z3_mk_bvand Z3_mk_bvashr Z3_mk_bvlshr Z3_mk_bvmul Z3_mk_bvmul_no_overflow Z3_mk_bvmul_no_underflow Z3_mk_bvnand
    Z3_mk_bvneg Z3_mk_bvneg_no_overflow Z3_mk_bvnor Z3_mk_bvnot Z3_mk_bvor Z3_mk_bvredand Z3_mk_bvredor
    Z3_mk_bvsdiv Z3_mk_bvsdiv_no_overflow Z3_mk_bvsge Z3_mk_bvsgt Z3_mk_bvshl Z3_mk_bvsle Z3_mk_bvslt Z3_mk_bvsmod
    Z3_mk_bvsrem Z3_mk_bvsub Z3_mk_bvsub_no_overflow Z3_mk_bvsub_no_underflow Z3_mk_bvudiv Z3_mk_bvuge Z3_mk_bvugt
    Z3_mk_bvule Z3_mk_bvult Z3_mk_bvurem Z3_mk_bvxnor Z3_mk_bvxor Z3_mk_char Z3_mk_char_from_bv Z3_mk_char_is_digit
    Z3_mk_char_le Z3_mk_char_sort Z3_mk_char_to_bv Z3_mk_char_to_int Z3_mk_complex Z3_mk_complex_sort Z3_mk_concat
    Z3_mk_config Z3_mk_const Z3_mk_const_array Z3_mk_constructor Z3_mk_constructor_list Z3_mk_context_rc
    Z3_mk_datatypes Z3_mk_distinct Z3_mk_div Z3_mk_empty_set Z3_mk_enumeration_sort Z3_mk_eq Z3_mk_exists_const
    Z3_mk_ext_rotate_left Z3_mk_ext_rotate_right Z3_mk_extract Z3_mk_false Z3_mk_finite_set_difference
    Z3_mk_finite_set_empty Z3_mk_finite_set_filter Z3_mk_finite_set_intersect Z3_mk_finite_set_map
    Z3_mk_finite_set_member Z3_mk_finite_set_range Z3_mk_finite_set_singleton Z3_mk_finite_set_size
    Z3_mk_finite_set_sort Z3_mk_finite_set_subset Z3_mk_finite_set_union Z3_mk_fixedpoint Z3_mk_forall_const
    Z3_mk_fpa_abs Z3_mk_fpa_add Z3_mk_fpa_div Z3_mk_fpa_eq Z3_mk_fpa_fma Z3_mk_fpa_geq Z3_mk_fpa_gt
    Z3_mk_fpa_is_infinite Z3_mk_fpa_is_nan Z3_mk_fpa_is_negative Z3_mk_fpa_is_normal Z3_mk_fpa_is_positive
    Z3_mk_fpa_is_subnormal Z3_mk_fpa_is_zero Z3_mk_fpa_leq Z3_mk_fpa_lt Z3_mk_fpa_max Z3_mk_fpa_min Z3_mk_fpa_mul
    Z3_mk_fpa_nan Z3_mk_fpa_neg Z3_mk_fpa_numeral_double Z3_mk_fpa_numeral_float Z3_mk_fpa_rem
    Z3_mk_fpa_round_nearest_ties_to_away Z3_mk_fpa_round_nearest_ties_to_even Z3_mk_fpa_round_to_integral
    Z3_mk_fpa_round_toward_negative Z3_mk_fpa_round_toward_positive Z3_mk_fpa_round_toward_zero Z3_mk_fpa_sort
    Z3_mk_fpa_sqrt Z3_mk_fpa_sub Z3_mk_fpa_to_fp_float Z3_mk_fpa_to_ieee_bv Z3_mk_fpa_to_real Z3_mk_fpa_to_sbv
    Z3_mk_fpa_to_ubv Z3_mk_fresh_const Z3_mk_func_decl Z3_mk_ge Z3_mk_goal Z3_mk_gt Z3_mk_iff Z3_mk_imag_part
    Z3_mk_implies Z3_mk_int2bv Z3_mk_int2real Z3_mk_int64 Z3_mk_int_sort Z3_mk_int_symbol Z3_mk_is_int Z3_mk_ite
    Z3_mk_lambda_const Z3_mk_le Z3_mk_linear_order Z3_mk_lt Z3_mk_mod Z3_mk_model Z3_mk_mul Z3_mk_not Z3_mk_numeral
    Z3_mk_optimize Z3_mk_or Z3_mk_params Z3_mk_partial_order Z3_mk_pattern Z3_mk_pbeq Z3_mk_pbge Z3_mk_pble
    Z3_mk_piecewise_linear_order Z3_mk_power Z3_mk_probe Z3_mk_quantifier_const_ex Z3_mk_re_allchar
    Z3_mk_re_complement Z3_mk_re_concat Z3_mk_re_diff Z3_mk_re_empty Z3_mk_re_full Z3_mk_re_intersect Z3_mk_re_loop
    Z3_mk_re_option Z3_mk_re_plus Z3_mk_re_power Z3_mk_re_range Z3_mk_re_sort Z3_mk_re_star Z3_mk_re_union
    Z3_mk_real Z3_mk_real2int Z3_mk_real_int64 Z3_mk_real_part Z3_mk_real_sort Z3_mk_rec_func_decl Z3_mk_rem
    Z3_mk_select Z3_mk_select_n Z3_mk_seq_at Z3_mk_seq_concat Z3_mk_seq_contains Z3_mk_seq_empty Z3_mk_seq_extract
    Z3_mk_seq_in_re Z3_mk_seq_length Z3_mk_seq_nth Z3_mk_seq_prefix Z3_mk_seq_sort Z3_mk_seq_suffix Z3_mk_seq_to_re
    Z3_mk_seq_unit Z3_mk_set_add Z3_mk_set_complement Z3_mk_set_del Z3_mk_set_difference Z3_mk_set_intersect
    Z3_mk_set_member Z3_mk_set_sort Z3_mk_set_subset Z3_mk_set_union Z3_mk_sign_ext Z3_mk_solver
    Z3_mk_solver_for_logic Z3_mk_solver_from_tactic Z3_mk_store Z3_mk_str_le Z3_mk_str_lt Z3_mk_string
    Z3_mk_string_sort Z3_mk_string_symbol Z3_mk_sub Z3_mk_tactic Z3_mk_transitive_closure Z3_mk_tree_order
    Z3_mk_true Z3_mk_unary_minus Z3_mk_uninterpreted_sort Z3_mk_unsigned_int64 Z3_mk_xor Z3_mk_zero_ext
    Z3_model_dec_ref Z3_model_eval Z3_model_get_const_decl Z3_model_get_const_interp Z3_model_get_func_decl
    Z3_model_get_func_interp Z3_model_get_num_consts Z3_model_get_num_funcs Z3_model_get_num_sorts
    Z3_model_get_sort Z3_model_get_sort_universe Z3_model_has_interp Z3_model_inc_ref Z3_model_to_string
    Z3_model_translate Z3_optimize_assert Z3_optimize_assert_and_track Z3_optimize_assert_soft Z3_optimize_check
    Z3_optimize_dec_ref Z3_optimize_from_string Z3_optimize_get_assertions Z3_optimize_get_lower
    Z3_optimize_get_model Z3_optimize_get_objectives Z3_optimize_get_reason_unknown Z3_optimize_get_statistics
    Z3_optimize_get_unsat_core Z3_optimize_get_upper Z3_optimize_inc_ref Z3_optimize_maximize Z3_optimize_minimize
    Z3_optimize_pop Z3_optimize_push Z3_optimize_register_model_eh Z3_optimize_set_params Z3_optimize_to_string
    Z3_optimize_translate Z3_params_dec_ref Z3_params_inc_ref Z3_params_set_bool Z3_params_set_double
    Z3_params_set_symbol Z3_params_set_uint Z3_params_to_string Z3_pattern_to_ast Z3_pattern_to_string
    Z3_polynomial_subresultants Z3_probe_and Z3_probe_apply Z3_probe_const Z3_probe_dec_ref Z3_probe_eq Z3_probe_ge
    Z3_probe_get_descr Z3_probe_gt Z3_probe_inc_ref Z3_probe_le Z3_probe_lt Z3_probe_not Z3_probe_or Z3_qe_lite
    Z3_qe_model_project Z3_set_error_handler Z3_set_param_value Z3_simplify Z3_solver_assert
    Z3_solver_assert_and_track Z3_solver_check Z3_solver_check_assumptions Z3_solver_dec_ref Z3_solver_from_string
    Z3_solver_get_assertions Z3_solver_get_consequences Z3_solver_get_model Z3_solver_get_proof
    Z3_solver_get_reason_unknown Z3_solver_get_statistics Z3_solver_get_unsat_core Z3_solver_inc_ref Z3_solver_pop
    Z3_solver_push Z3_solver_reset Z3_solver_set_params Z3_solver_to_string Z3_solver_translate Z3_sort_to_ast
    Z3_sort_to_string Z3_stats_dec_ref Z3_stats_get_double_value Z3_stats_get_key Z3_stats_get_uint_value
    Z3_stats_inc_ref Z3_stats_is_uint Z3_stats_size Z3_substitute Z3_tactic_and_then Z3_tactic_apply
    Z3_tactic_apply_ex Z3_tactic_cond Z3_tactic_dec_ref Z3_tactic_fail Z3_tactic_fail_if Z3_tactic_get_help
    Z3_tactic_inc_ref Z3_tactic_or_else Z3_tactic_repeat Z3_tactic_skip Z3_tactic_try_for Z3_tactic_using_params
    Z3_tactic_when Z3_to_app Z3_to_func_decl Z3_translate Z3_update_param_value
}

unsafe extern "C" {
    /// The first slot; the others follow, in the order of [`NAMES`].
    static systole_z3_slots: [AtomicUsize; NAMES.len()];
}

/// Fills the slots. One of a function that this Z3 lacks ends the process when it is called.
pub(super) fn fill(addresses: impl Iterator<Item = Option<unsafe extern "C" fn()>>) {
    // SAFETY: the assembly above has one slot of eight bytes for each name, one after the other, and they begin as zero.
    let slots = unsafe { &systole_z3_slots };
    for (slot, address) in slots.iter().zip(addresses) {
        let address = address.map_or(absent as *const () as usize, |function| function as usize);
        slot.store(address, Ordering::Release);
    }
}

/// In place of a function that is not in this Z3.
extern "C" fn absent() {
    eprintln!("error: this Z3 lacks a function that Systole calls; 5.4 has them all");
    std::process::exit(1);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The texts of JSONTestSuite that RFC 8259 leaves to the implementation, or that our parsers treat in another way than the suite.
enum JSONExceptions {
    /// Valid texts that both parsers refuse.
    static let refusedValid = [
        "y_object_duplicated_key.json": "parsers differ in which value they use for a duplicate name",
        "y_object_duplicated_key_and_value.json": "a duplicate name, though with equal values",
    ]

    /// The treatment of a text for which the suite allows both.
    enum Choice {
        case accepted
        /// Refused in signed texts only.
        case acceptedUnlessSigned
        case refused
    }

    static let choices: [(names: [String], choice: Choice, reason: String)] = [
        (
            [
                "i_number_double_huge_neg_exp.json", "i_number_huge_exp.json", "i_number_neg_int_huge_exp.json",
                "i_number_pos_double_huge_exp.json", "i_number_real_neg_overflow.json",
                "i_number_real_pos_overflow.json", "i_number_real_underflow.json", "i_number_too_big_neg_int.json",
                "i_number_too_big_pos_int.json", "i_number_very_big_negative_int.json",
            ],
            .accepted, "numbers keep their text; the range is checked when a value is used"
        ),
        (
            [
                "i_object_key_lone_2nd_surrogate.json", "i_string_1st_surrogate_but_2nd_missing.json",
                "i_string_1st_valid_surrogate_2nd_invalid.json", "i_string_incomplete_surrogate_and_escape_valid.json",
                "i_string_incomplete_surrogate_pair.json", "i_string_incomplete_surrogates_escape_valid.json",
                "i_string_invalid_lonely_surrogate.json", "i_string_invalid_surrogate.json",
                "i_string_inverted_surrogates_U+1D11E.json", "i_string_lone_second_surrogate.json",
            ],
            .acceptedUnlessSigned, "U+FFFD replaces a lone surrogate, so that a malformed user name ends no session"
        ),
        (
            ["i_structure_UTF-8_BOM_empty_object.json"],
            .acceptedUnlessSigned, "some servers send a byte order mark"
        ),
        (
            [
                "i_string_UTF-16LE_with_BOM.json", "i_string_UTF-8_invalid_sequence.json",
                "i_string_UTF8_surrogate_U+D800.json", "i_string_invalid_utf-8.json", "i_string_iso_latin_1.json",
                "i_string_lone_utf8_continuation_byte.json", "i_string_not_in_unicode_range.json",
                "i_string_overlong_sequence_2_bytes.json", "i_string_overlong_sequence_6_bytes.json",
                "i_string_overlong_sequence_6_bytes_null.json", "i_string_truncated-utf-8.json",
                "i_string_utf16BE_no_BOM.json", "i_string_utf16LE_no_BOM.json",
            ],
            .refused, "JSON text is UTF-8 (RFC 8259 section 8.1)"
        ),
        (
            ["i_structure_500_nested_arrays.json"],
            .refused, "the maximum nesting depth is 64"
        ),
    ]

    /// The texts in which Foundation's decoder differs: it accepts those that are not valid, and refuses the others.
    ///
    /// No request is interpreted in another way because of them: they are accepted with their only meaning, or refused.
    static let foundation: [String: String] = [
        "i_number_too_big_neg_int.json": "rounded",
        "i_number_too_big_pos_int.json": "rounded",
        "i_number_very_big_negative_int.json": "rounded",
        "i_string_UTF-16LE_with_BOM.json": "UTF-16 is detected",
        "i_string_utf16BE_no_BOM.json": "UTF-16 is detected",
        "i_string_utf16LE_no_BOM.json": "UTF-16 is detected",
        "i_structure_500_nested_arrays.json": "the maximum nesting depth is 512",
        "i_structure_UTF-8_BOM_empty_object.json": "a byte order mark is ignored",
        "n_array_extra_comma.json": "a trailing comma is ignored",
        "n_array_number_and_comma.json": "a trailing comma is ignored",
        "n_object_trailing_comma.json": "a trailing comma is ignored",
        "y_number_0e1.json": "an exponent after a single zero is refused as a number",
    ]

    /// The valid texts that `FlatJSON` reads; the general decoder reads the others.
    static let flat = ["y_object.json", "y_object_basic.json", "y_object_with_newlines.json"]
}

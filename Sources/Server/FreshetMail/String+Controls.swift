// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension String {
    /// The text without line ends, bidirectional controls or invisible characters, except emoji joiners.
    package var withoutControls: String {
        let joiner: Unicode.Scalar = "\u{200D}"
        return String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isControl || $0 == joiner }))
    }
}

extension Unicode.Scalar {
    /// Whether the character is a line end, a bidirectional control or another invisible character.
    package var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}

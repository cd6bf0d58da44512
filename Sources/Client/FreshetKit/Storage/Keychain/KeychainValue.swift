// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetWire

/// The value of an attribute.
package enum KeychainValue: Sendable, Hashable, Masked {
    case text(String)
    /// Data, which is redacted when printed because it may be a token.
    case data(Data)
    case flag(Bool)
    case constant(KeychainConstant)

    var data: Data? { if case .data(let data) = self { data } else { nil } }

    package var mask: String {
        switch self {
        case .text(let text): text
        case .data: "•••"
        case .flag(let flag): "\(flag)"
        case .constant(let constant): "\(constant)"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

extension SQLRow {
    /// Reads the column with the reason of a session's end.
    ///
    /// It never fails: an unknown reason, which a newer server stored, is returned unchanged.
    subscript(column: Int) -> EndReason { EndReason(stored: isNull(column) ? nil : try? text(column)) }
    subscript(column: Int) -> EndReason? { isNull(column) ? nil : self[column] as EndReason }
}

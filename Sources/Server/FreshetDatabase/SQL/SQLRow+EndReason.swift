// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

extension SQLRow {
    /// Reads the column that holds why a session ended.
    ///
    /// It never fails: the ending holds whatever a newer server stored.
    subscript(column: Int) -> EndReason { EndReason(stored: isNull(column) ? nil : try? text(column)) }
    subscript(column: Int) -> EndReason? { isNull(column) ? nil : self[column] as EndReason }
}

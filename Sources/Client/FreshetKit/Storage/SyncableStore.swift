// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A store whose records other processes can read before they are durable.
package protocol SyncableStore: SessionStore {
    /// Makes a record durable that was read, if another process may have stored it.
    ///
    /// Best effort: if it fails, a power failure may still take the record back.
    func sync(_ record: SessionRecord)
}

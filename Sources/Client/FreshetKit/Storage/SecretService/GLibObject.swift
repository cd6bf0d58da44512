// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// A GLib object, released with this one.
    final class GLibObject: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
        private let release: @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void

        /// Takes ownership of a reference.
        ///
        /// - Parameters:
        ///   - pointer: The reference.
        ///   - release: The function that releases the reference.
        init(_ pointer: UnsafeMutableRawPointer, _ release: @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void)
        {
            self.pointer = pointer
            self.release = release
        }

        deinit { release(pointer) }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// The system calls that ``SecureFolder`` and ``FileLock`` make.
///
/// Each behaves as POSIX specifies: a negative result means that the call failed, with the reason in `errno`. Names are
/// relative to an open folder, and symbolic links are not followed.
package protocol FileSystem: Sendable {
    /// Opens a file or folder by its path.
    func open(_ path: String, _ flags: Int32) -> Int32

    /// Opens a file of a folder, or creates it with `mode`.
    func openat(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t) -> Int32

    /// Closes a file or folder, and releases its lock.
    func close(_ file: Int32)

    /// Creates a folder.
    func mkdir(_ path: String, _ mode: mode_t) -> Int32

    /// Returns the attributes of an open file or folder.
    func fstat(_ file: Int32, _ attributes: inout stat) -> Int32

    /// Returns the attributes of a file of a folder.
    func fstatat(_ folder: Int32, _ name: String, _ attributes: inout stat) -> Int32

    /// Reads the next bytes of a file.
    func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Reads the bytes of a file at an offset.
    func pread(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int

    /// Writes bytes at an offset of a file.
    func pwrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int

    /// Writes bytes at the position of a file.
    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

    /// Makes the content of a file durable, also if the drive has a cache of its own.
    func syncFile(_ file: Int32) -> Int32

    /// Makes the names in a folder durable.
    func syncFolder(_ folder: Int32) -> Int32

    /// Renames a file, also to another folder, replacing a file of the new name atomically.
    func renameat(_ folder: Int32, _ name: String, _ newFolder: Int32, _ new: String) -> Int32

    /// Gives a file of a folder a second name.
    func linkat(_ folder: Int32, _ name: String, _ new: String) -> Int32

    /// Removes a file of a folder.
    func unlinkat(_ folder: Int32, _ name: String) -> Int32

    /// Succeeds if the permissions of a folder allow creating files.
    func checkWritable(_ folder: Int32) -> Int32

    /// Locks an open file exclusively without waiting.
    func lock(_ file: Int32) -> Int32

    /// Unlocks an open file, also for its copies in other processes.
    func unlock(_ file: Int32)

    /// Returns the names in a folder, without those of itself and its parent; `nil` if the call failed.
    func names(_ folder: Int32) -> [String]?
}

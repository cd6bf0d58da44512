// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// The system calls of the operating system.
package struct POSIXFileSystem: FileSystem {
    package init() {}

    package func open(_ path: String, _ flags: Int32) -> Int32 { Foundation.open(path, flags) }

    package func openat(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        Foundation.openat(folder, name, flags, mode)
    }

    package func close(_ file: Int32) { _ = Foundation.close(file) }

    package func mkdir(_ path: String, _ mode: mode_t) -> Int32 { Foundation.mkdir(path, mode) }

    package func fstat(_ file: Int32, _ attributes: inout stat) -> Int32 { Foundation.fstat(file, &attributes) }

    package func fstatat(_ folder: Int32, _ name: String, _ attributes: inout stat) -> Int32 {
        Foundation.fstatat(folder, name, &attributes, AT_SYMLINK_NOFOLLOW)
    }

    package func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        Foundation.read(file, buffer.baseAddress, buffer.count)
    }

    package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Foundation.write(file, bytes.baseAddress, bytes.count)
    }

    package func pread(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int {
        Foundation.pread(file, buffer.baseAddress, buffer.count, off_t(offset))
    }

    package func pwrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        Foundation.pwrite(file, bytes.baseAddress, bytes.count, off_t(offset))
    }

    package func syncFile(_ file: Int32) -> Int32 {
        // On Apple's systems, `fsync` alone leaves the content in the drive's cache.
        #if canImport(Darwin)
            if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(file)
    }

    package func syncFolder(_ folder: Int32) -> Int32 { fsync(folder) }

    package func renameat(_ folder: Int32, _ name: String, _ newFolder: Int32, _ new: String) -> Int32 {
        Foundation.renameat(folder, name, newFolder, new)
    }

    package func linkat(_ folder: Int32, _ name: String, _ new: String) -> Int32 {
        Foundation.linkat(folder, name, folder, new, 0)
    }

    package func unlinkat(_ folder: Int32, _ name: String) -> Int32 { Foundation.unlinkat(folder, name, 0) }

    package func checkWritable(_ folder: Int32) -> Int32 { faccessat(folder, ".", W_OK, 0) }

    package func lock(_ file: Int32) -> Int32 { flock(file, LOCK_EX | LOCK_NB) }

    package func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

    package func names(_ folder: Int32) -> [String]? {
        // Opened again, because a directory stream moves the read position of its handle.
        let copy = Foundation.openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let entries = fdopendir(copy) else { return nil }
        guard let start = MemoryLayout<dirent>.offset(of: \dirent.d_name) else {
            closedir(entries)
            errno = ENOTSUP
            return nil
        }
        var names: [String] = []
        errno = 0
        while let entry = readdir(entries) {
            // Read in place: the entry ends after its name, and a copy of the whole type would read beyond it.
            let name = String(cString: UnsafeRawPointer(entry).advanced(by: start).assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        let code = errno
        closedir(entries)
        errno = code
        return code == 0 ? names : nil
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetDatabase
    import FreshetSimulator

    /// A disk fails to flush durable writes and is sound again, before the power fails.
    enum FailedFlush {
        /// Returns what became of three writes, and those that are there after the power failure.
        static func history() async -> String {
            do {
                let disk = SimulatedDisk()
                let connection = try disk.open()
                try connection.runScript("CREATE TABLE numbers (number INTEGER NOT NULL)")
                let writes = WriteBatcher(on: { $0(.success(connection)) })
                var results: [String] = []
                for (number, fails) in [(1, false), (2, true), (3, false)] {
                    disk.failsFlushes = fails
                    do {
                        _ = try await writes.durably { try $0.execute("INSERT INTO numbers VALUES (\(number))", []) }
                        results.append("\(number) is durable")
                    } catch {
                        results.append("\(number) is not")
                    }
                }
                SimulatedDisk.close(connection)
                disk.cutPower(survivors: 0)
                let again = try disk.open()
                defer { SimulatedDisk.close(again) }
                let found = try again.rows("SELECT number FROM numbers ORDER BY number") { try $0.integer(0) }
                return results.joined(separator: ", ") + "; then \(found)"
            } catch {
                return "\(error)"
            }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Testing

    /// The server's writes on a disk that fails, in a process of their own (`SimulatorWorker`).
    @Suite(.timeLimit(.minutes(5)))
    struct `A disk that fails` {
        /// Linux reports a failed flush once; a write is durable only after the lost pages were written again.
        @Test func `the server loses no durable write after a failed flush`() throws {
            let (output, _) = try SimulatorProgram.run("SimulatorWorker", ["flush"])
            #expect(output == "1 is durable, 2 is not, 3 is durable; then [1, 2, 3]\n")
        }
    }
#endif

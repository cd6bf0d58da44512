// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetCommandLine
import FreshetMetrics
import FreshetSystem
import Metrics

/// A metrics file that every run of the tool adds to, for the node exporter's textfile collector.
///
/// The environment variable `FRESHET_METRICS_FILE` sets its path.
struct MetricsFile {
    private static let registry = PrometheusRegistry()

    let file: URL

    /// The file whose path is in the environment variable.
    static var named: MetricsFile? {
        let path = ProcessInfo.processInfo.environment["FRESHET_METRICS_FILE"] ?? ""
        return path.isEmpty ? nil : MetricsFile(file: URL(filePath: path))
    }

    /// Starts to collect metrics.
    func begin() { MetricsSystem.bootstrap(Self.registry) }

    /// Adds the collected metrics to those in the file.
    ///
    /// Concurrent runs lock the file. A write error is printed, and does not fail the run.
    func add() {
        guard !Self.registry.content.isEmpty else { return }
        do {
            let lock = open(file.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            defer {
                // A child process that is just starting may have a copy of the descriptor.
                _ = flock(lock, LOCK_UN)
                close(lock)
            }
            var samples = (try? String(contentsOf: file, encoding: .utf8)).flatMap(PrometheusSamples.init) ?? .init()
            samples.add(Self.registry.content)
            try PrivateFiles.replace(file, with: Array(samples.text.utf8))
        } catch {
            Output.note("freshet: \(file.path): the metrics cannot be written (\(error.localizedDescription))")
        }
    }
}

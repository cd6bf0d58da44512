// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetWire
import NIOCore

/// The setup of the demo: a server process, a faulty network, a profile folder and a session.
struct Demo {
    let view: DemoView

    func run() async throws -> DemoReport {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await DemoServer(in: folder)
        let network: FaultyNetwork
        do { network = try await FaultyNetwork.open(to: server.port) } catch {
            await server.terminate()
            throw error
        }
        do {
            let verdict = try await play(folder, server, network)
            await server.terminate()
            await network.close()
            return verdict
        } catch {
            await server.terminate()
            await network.close()
            throw error
        }
    }

    private func play(_ folder: URL, _ server: DemoServer, _ network: FaultyNetwork) async throws -> DemoReport {
        let stage = try DemoEnvironment(folder: folder, server: server, network: network, view: view)
        let picture = Task { await view.follow { await stage.counters() } }
        defer { picture.cancel() }
        var acts: [DemoReport.Act] = []
        for (title, act) in stage.acts {
            view.begin(title)
            do {
                let finding = try await act()
                acts.append(finding.as(title))
                view.end(finding.sentence, held: finding.held)
            } catch {
                acts.append(DemoReport.Act(title: title, held: false, finding: "\(error)"))
                view.end("\(error)", held: false)
            }
        }
        picture.cancel()
        await picture.value
        return await stage.verdict(acts)
    }
}

/// The result of an act.
struct ActResult {
    var held: Bool
    var text: String
    /// The result that keeps the promise.
    var expected: String

    /// The text, with what was expected if the promise is broken.
    var sentence: String { held ? text : "\(text); expected: \(expected)" }

    func `as`(_ title: String) -> DemoReport.Act { DemoReport.Act(title: title, held: held, finding: sentence) }
}

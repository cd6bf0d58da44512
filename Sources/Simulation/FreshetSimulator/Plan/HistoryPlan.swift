// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// The actions and settings of one history, apart from the order of tasks: a value that can be shortened.
package struct HistoryPlan: Sendable {
    /// Decides the order of tasks, the delays, and the faults of the network.
    package var seed: UInt64
    /// The number of processes of each device.
    var processes: [Int]
    /// The number of servers.
    var servers: Int
    /// Whether the servers rotate their keys.
    var rotatesKeys: Bool
    /// Whether the servers record metrics over time.
    var recordsMetrics: Bool
    /// The lifetime of access tokens.
    var accessLifetime: Duration
    /// The probabilities of the network's faults.
    var faults: NetworkFaultRates
    /// The time in which everything recovers once everything works; after a jump, a server's clock must run evenly for an
    /// hour.
    var recovery: Duration
    /// Whether requests enter the servers by connections, and not at the router.
    var usesConnections: Bool
    /// The actions of users, operators and the environment, in order of time.
    var actions: [PlannedAction]
    /// The app, if the servers serve a contract of its own; `nil` for the native contract.
    var app: ServedApp?
    /// Whether the servers have the rate limits of production.
    var hasProductionLimits = false
    /// The number of requests of a thousand that a gateway answers with 429.
    var throttledPerMille = 0
    /// Whether some servers are newer than the app: their responses have members and error codes that it does not know.
    var hasNewerServers = false
    /// Whether some servers are older than the app: they confirm no tokens, and their responses lack optional members.
    var hasOlderServers = false
    /// Whether the devices store their sessions in files, on volumes that lose at a power failure what is not durable.
    var hasFileStores = false
    /// One task that is ready of this many starts up to 65 ms later, as on a thread that the system interrupts; none if 0.
    var tasksPerDelay = 0
    /// Whether the clocks of servers and devices run at rates of their own.
    var hasClockDrift = false
    /// Whether the app's processes hold WebSockets.
    var hasSockets = false
    /// Whether a resource server verifies access tokens and follows the feed of ended sessions.
    var hasResourceServer = false
    /// The older version of the client with which the app of each device begins; empty if all have the present one.
    var olderClients: [OlderClient] = []
    /// Lifetimes of sessions that end within the history; `nil` for the usual ones.
    var lifetimes: SessionLifetimes?
    /// A further device, whose app has a foreign backend; `nil` without one.
    var foreign: ForeignPlan?
    /// A further device, whose app refreshes with an OAuth library; `nil` without one.
    var oauth: OAuthPlan?

    /// The maximum difference between a server's clock and the true time, apart from jumps and drift.
    ///
    /// Half a minute (docs/handbook/databases.md), or a small part of a short lifetime of access tokens.
    private var clockError: Duration { min(.seconds(25), accessLifetime / 8) }

    /// The maximum difference between the clocks of two servers, apart from jumps.
    var clockDifference: Duration { servers > 1 && hasClockDrift ? clockError * 2 + .seconds(10) : .zero }

    /// Returns the difference between the wall clock of a server, or of a shared database, and the true time at the start.
    func clockOffset(ofMachine machine: Int) -> Duration {
        guard clockDifference > .zero else { return .zero }
        var random = SeededRandomStream(seed: seed, device: machine, matter: 45)
        let limit = Int(clockError / .milliseconds(1))
        return .milliseconds(random.number(in: -limit...limit))
    }

    /// Whether a server's clock jumps.
    var hasClockJump: Bool { actions.contains { $0.action.kind == .serverClock } }

    /// Whether sessions can end without an announcement of their server.
    var endsUnannounced: Bool {
        actions.contains(where: \.action.endsUnannounced)
            || oauth?.actions.contains { OAuthPlan.Kind.ofOperator.contains($0.kind) } == true
    }

    /// Creates the plan of a seed.
    package init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandomStream(seed: seed, device: 0, matter: 2)
        processes = (0..<random.number(in: 1...2)).map { _ in random.number(in: 1...3) }
        servers = random.number(in: 0...7) == 0 ? 2 : 1
        rotatesKeys = random.number(in: 0...3) == 0
        recordsMetrics = random.number(in: 0...7) == 0
        // Several servers ask the database for ended sessions all the time: their histories are shorter.
        let isShort = servers > 1
        accessLifetime = .seconds(60 * (isShort ? 1 : random.number(in: 1...15)))
        faults = NetworkFaultRates(&random)
        // Each kind is absent from half of the histories: many at once hide what one of them alone does.
        var kinds = Action.Kind.common.filter { $0.isAlwaysPossible || random.number(in: 0...1) == 1 }
        // After a jump, a clock may not be trusted for an hour.
        var clocks = SeededRandomStream(seed: seed, device: 0, matter: 44)
        let excluded: Set<Action.Kind> =
            !isShort ? [.promoteStandby] : clocks.number(in: 0...3) > 0 ? [.serverClock] : []
        kinds.removeAll(where: excluded.contains)
        if !rotatesKeys { kinds.removeAll { $0 == .rotateKeys || $0 == .staleKeys } }
        actions = []
        var time = Duration.zero
        for _ in 0..<random.number(in: 3...10) {
            // Retries and recovery take seconds, and lifetimes end after minutes.
            let isSoon = isShort || random.number(in: 0...1) == 1
            time += .milliseconds(random.number(in: 0...(isSoon ? 60_000 : 1_500_000)))
            // Actions of one moment race with each other, most often on one device.
            let common = random.number(in: 0...processes.count - 1)
            for _ in 0..<random.number(in: 1...5) {
                let kind = kinds[random.number(in: 0...kinds.count - 1)]
                let device = random.number(in: 0...3) == 0 ? random.number(in: 0...processes.count - 1) : common
                let action = Action(
                    kind: kind,
                    device: device,
                    process: random.number(in: 0...processes[device] - 1),
                    size: random.number(in: 0...1000)
                )
                actions.append(PlannedAction(time: time + .milliseconds(random.number(in: 0...400)), action: action))
            }
        }
        let hasJump = actions.contains { $0.action.kind == .serverClock }
        recovery = .seconds(hasJump ? 4200 : isShort ? 240 : 600)
        var connections = SeededRandomStream(seed: seed, device: 0, matter: 40)
        usesConnections = connections.number(in: 0...7) == 0
        actions += Self.outboxActions(seed: seed, processes, among: actions)
        // Orders belong to users by their native IDs.
        if !hasOutbox { drawContract(until: time) }
        // A contract that is not confirmed takes the 400 to a request that was cut for the end of a sign-out.
        if app != nil { usesConnections = false }
        drawLimits()
        drawFiles()
        drawForeign(until: time)
        drawOlderClients(until: time)
        drawOAuth(until: time)
        drawSockets()
        drawDelays()
        drawClockDrift()
        drawResourceServer()
        drawLifetimes()
        actions.sort { $0.time < $1.time }
    }

    /// Draws whether tasks are delayed, in half of the histories; in the others checks of times are exact.
    private mutating func drawDelays() {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 100)
        tasksPerDelay = [0, 0, 1000, 50][random.number(in: 0...3)]
    }

    /// Draws whether there is a resource server, in half of the histories with two servers.
    private mutating func drawResourceServer() {
        var random = SeededRandomStream(seed: seed, device: 1, matter: 120)
        // It makes the servers search for ended sessions all the time, as two of them do anyway. A connection may be slow.
        hasResourceServer = servers > 1 && app == nil && !usesConnections && random.number(in: 0...1) == 0
    }

    /// Draws whether clocks drift, in half of the histories.
    private mutating func drawClockDrift() {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 110)
        hasClockDrift = random.number(in: 0...1) == 0
    }
}

/// An action and its time.
package struct PlannedAction: Sendable {
    var time: Duration
    var action: Action
}

/// Something that a user, an operator, a thief or the environment does.
package struct Action: Sendable {
    package enum Kind: String, CaseIterable, Codable, Sendable {
        case read, write, refresh
        case killProcess = "kill a process"
        case switchAccount = "switch accounts"
        case signOut = "sign out"
        case signInAgain = "sign in again"
        case signOutEverywhere = "sign out everywhere"
        case endOtherSession = "end another session"
        case steal
        case killServer = "kill the server"
        case cutPower = "cut the server's power"
        case promoteStandby = "promote the standby"
        case restoreDatabase = "restore a backup of the database"
        case serverClock = "set the server's clock"
        case deviceClock = "set the device's clock"
        case deviceSleep = "let the device sleep"
        case slowStore = "slow the store down"
        case rotateKeys = "rotate the keys"
        case diskFull = "fill the server's disk"
        case lockStore = "lock the store"
        case restoreBackup = "restore a backup of the device"
        case outage
        case endByOperator = "an operator ends a session"
        case disableAccount = "disable an account"
        case deleteAccount = "delete an account"
        case claimAddress = "the owner of an address proves it"
        case staleKeys = "start a server with older keys"
        case overlapSignIns = "sign in during another sign-in or sign-out"
        case enqueue = "enqueue orders"
        case enqueueAndKill = "enqueue orders, and kill the process"
        case enqueueOffline = "enqueue orders while offline"
        case handleDeadLetters = "retry and discard dead letters"
        case stopApplicationServer = "stop the application server"
        case updateApp = "update the app to the native contract"
        case rollBackApp = "go back to the app's contract"
        case updateClient = "update the app to the present client"
        case rollBackClient = "go back to an older client"
        case cutDevicePower = "cut the device's power"
        case killDuringWrite = "kill a process during a write"

        /// The kinds that are not drawn in a way of their own.
        static var common: [Kind] {
            allCases.filter {
                ![.updateApp, .rollBackApp, .updateClient, .rollBackClient].contains($0)
                    && ![.cutDevicePower, .killDuringWrite].contains($0) && !$0.concernsOutboxes
            }
        }

        /// Whether every history may contain it.
        var isAlwaysPossible: Bool { [.read, .write, .refresh].contains(self) }

        /// Whether it is an action of the device's user, which does not take place while the device sleeps.
        var usesDevice: Bool {
            switch self {
            case .killServer, .cutPower, .promoteStandby, .restoreDatabase, .serverClock, .rotateKeys, .staleKeys,
                .diskFull:
                false
            case .outage, .endByOperator, .disableAccount, .deleteAccount, .claimAddress: false
            case .stopApplicationServer, .steal: false
            case .killProcess, .restoreBackup, .cutDevicePower: false
            default: true
            }
        }

        /// The commands of an operator, which another process runs: a server must search for the sessions that they end.
        static let ofOperator: Set<Kind> = [.endByOperator, .disableAccount, .deleteAccount]
    }

    var kind: Kind
    var device: Int
    /// The process of the device.
    var process: Int
    /// Decides how much, how long, or how often.
    var size: Int

    /// Whether the disk of the server fails to flush, and is not full.
    var failsFlushes: Bool { kind == .diskFull && size % 2 == 1 }

    /// Whether sessions can end without an announcement of their server.
    var endsUnannounced: Bool { failsFlushes || Kind.ofOperator.contains(kind) }
}

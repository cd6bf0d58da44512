// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// The truth about all orders: what the apps enqueued, what their outboxes sent, and what the server applied.
    final class OrderLedger: @unchecked Sendable {
        /// The result of enqueueing an order.
        enum Storage {
            /// The call has not returned, or its process was killed: the order may be stored.
            case unknown
            /// The call returned an item's ID.
            case stored(UUID)
            /// The call threw: nothing is stored.
            case failed
        }

        /// The course of one order.
        struct Record {
            let order: Order
            /// The name of the device, which has one outbox.
            let device: String
            let queue: String
            /// The position of the call's start among all starts and ends of calls.
            fileprivate let start: Int
            /// The position of the call's end; `nil` before it.
            fileprivate(set) var end: Int?
            /// The call that enqueued it, together with others.
            fileprivate let call: Int
            /// The users of the call: more than one if the account changed during it.
            fileprivate var candidates: Set<String>
            /// The user whose access token it was sent with.
            fileprivate var sender: String?
            fileprivate(set) var storage = Storage.unknown
            fileprivate(set) var key: String?
            fileprivate var rate = RequestRate()
            fileprivate(set) var isApplied = false
            /// Whether the server has refused it.
            fileprivate(set) var isRefused = false
            /// Whether its user retried the dead letter, which moves it to the end of its queue.
            fileprivate(set) var isRetried = false
            /// Whether its user discarded the dead letter.
            fileprivate(set) var isDiscarded = false

            var id: UUID? { if case .stored(let id) = storage { id } else { nil } }
            var wasRejected: Bool { if case .failed = storage { true } else { false } }
            /// The users to whom the order may belong, as far as is known.
            var users: Set<String> { sender.map { [$0] } ?? candidates }
        }

        /// The server's decision on an order.
        enum Result {
            case applied, duplicate, invalid
        }

        private struct Queue: Hashable {
            var device: String
            var name: String
            var users: Set<String>
        }

        private let journal: Journal
        private(set) var records: [Record] = []
        /// The orders of the users' idempotency keys.
        private var keys: [String: Int] = [:]
        /// The requests of each queue that its processes are sending.
        private var sending: [Queue: Int] = [:]
        private var positions = 0
        private var calls = 0

        init(_ journal: Journal) { self.journal = journal }

        private func nextPosition() -> Int {
            positions += 1
            return positions
        }

        // MARK: - Enqueueing

        /// Records the start of a call that enqueues `orders` requests.
        func begin(_ invalid: [Bool], on device: String, queue: String, users: Set<String>) -> Range<Int> {
            let (start, first) = (nextPosition(), records.count)
            calls += 1
            for isInvalid in invalid {
                let order = Order(number: records.count, isInvalid: isInvalid)
                records.append(
                    Record(order: order, device: device, queue: queue, start: start, call: calls, candidates: users)
                )
            }
            return first..<records.count
        }

        /// Records the end of a call.
        func end(_ numbers: Range<Int>, _ storage: [Storage], users: Set<String>) {
            let end = nextPosition()
            for (number, storage) in zip(numbers, storage) {
                records[number].end = end
                records[number].storage = storage
                records[number].candidates.formUnion(users)
                checkSender(of: number)
                if records[number].wasRejected, records[number].key != nil {
                    journal.violation("order \(number) was sent, although it was not stored")
                }
            }
        }

        /// Returns the record of an item of an outbox.
        func record(ofItem id: String) -> Record? {
            records.first { $0.id?.uuidString.lowercased() == id || $0.key == id }
        }

        func retry(_ number: Int) { records[number].isRetried = true }

        func discard(_ number: Int) { records[number].isDiscarded = true }

        // MARK: - Sending

        /// Checks a request that a process sends.
        ///
        /// - Returns: A function that ends the attempt; `nil` if it is not an order.
        func send(_ request: URLRequest, of user: String?, by process: String) -> (() -> Void)? {
            guard let order = Order(request), records.indices.contains(order.number) else { return nil }
            let number = order.number
            let key = request.value(forHTTPHeaderField: Order.keyField)
            if key == nil || records[number].key ?? key != key {
                journal.violation(
                    "order \(number) is sent with the key \(key ?? "-"), after \(records[number].key ?? "-")"
                )
            }
            records[number].key = records[number].key ?? key
            if let count = records[number].rate.count(at: SimulationExecutor.shared.now) {
                journal.violation("order \(number) is sent \(count) times in a minute")
            }
            let record = records[number]
            if record.wasRejected { journal.violation("order \(number) is sent, although it was not stored") }
            if request.bearerToken == nil { journal.violation("order \(number) is sent without a token") }
            if let user, record.end != nil, !record.users.contains(user) {
                journal.violation("order \(number) of \(record.users.sorted()) is sent as \(user) by \(process)")
            }
            guard record.users.count == 1 else { return {} }
            let queue = Queue(device: record.device, name: record.queue, users: record.users)
            sending[queue, default: 0] += 1
            if sending[queue, default: 0] > 1 {
                journal.violation("\(process) sends two requests of the queue \(record.queue)")
            }
            return { [self] in sending[queue, default: 0] -= 1 }
        }

        // MARK: - Applying

        /// Applies an order, unless one with this key was applied.
        func apply(_ order: Order, withKey key: String, as user: String) -> Result {
            let number = order.number
            if let applied = keys["\(user) \(key)"] {
                if applied != number { journal.violation("orders \(applied) and \(number) have one key") }
                return .duplicate
            }
            guard records.indices.contains(number) else { return .invalid }
            if records[number].isApplied { journal.violation("order \(number) is applied twice") }
            // The first attempt tells to whom an order of a call belongs that changed accounts.
            records[number].sender = user
            checkSender(of: number)
            if order.isInvalid, !records[number].isRetried {
                records[number].isRefused = true
                checkOrder(number)
                journal.note("order \(number) is refused")
                return .invalid
            }
            records[number].isApplied = true
            keys["\(user) \(key)"] = number
            checkOrder(number)
            journal.note("order \(number) is applied")
            return .applied
        }

        /// Checks that an order was sent as a user to whom it may belong, once that is known.
        private func checkSender(of number: Int) {
            let record = records[number]
            guard let sender = record.sender, record.end != nil, !record.candidates.contains(sender) else { return }
            journal.violation("order \(number) of \(record.candidates.sorted()) is decided for \(sender)")
        }

        /// Checks that all earlier orders of the queue were applied or refused before.
        private func checkOrder(_ number: Int) {
            let record = records[number]
            guard !record.isRetried, record.users.count == 1 else { return }
            for other in records {
                guard other.device == record.device, other.queue == record.queue, other.users == record.users,
                    !other.isApplied, !other.isRefused, case .stored = other.storage
                else { continue }
                let isEarlier =
                    other.call == record.call
                    ? other.order.number < number : other.end.map { $0 < record.start } ?? false
                if isEarlier { journal.violation("order \(number) is applied before \(other.order.number)") }
            }
        }
    }
#endif

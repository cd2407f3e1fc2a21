import CSimpleFutures
import Dispatch
import Foundation
import SimpleFutures
import Testing

/// A number that identifies the current thread among running threads.
func threadNumber() -> UInt { UInt(bitPattern: pthread_self().hashValue) }

/// Runs a closure on a thread with a small stack, and waits for the end of the thread.
///
/// Waiting only for the closure is not enough: a process that exits while a thread is being torn down may return
/// another status.
func onSmallStack<Result: Sendable>(kilobytes: Int = 128, _ body: @escaping @Sendable () -> Result) -> Result {
    let result = Box<Result?>(nil)
    let task = Unmanaged.passRetained(SmallStackTask { result.value = body() })
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, kilobytes << 10)
    #if canImport(Darwin)
    var thread: pthread_t?
    let status = pthread_create(&thread, attributes, { raw in SmallStackTask.run(raw) }, task.toOpaque())
    #else
    var thread = pthread_t()
    let status = pthread_create(&thread, attributes, { raw in SmallStackTask.run(raw!) }, task.toOpaque())
    #endif
    precondition(status == 0, "no thread: \(status)")
    #if canImport(Darwin)
    pthread_join(thread!, nil)
    #else
    pthread_join(thread, nil)
    #endif
    pthread_attr_destroy(attributes)
    return result.value!
}

private final class SmallStackTask: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static func run(_ raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<SmallStackTask>.fromOpaque(raw).takeRetainedValue().body()
        return nil
    }
}

/// Runs a closure on a separate thread.
///
/// Returns false if it has not returned in time, which means a deadlock.
func returns(before deadline: DispatchTime = Watchdog.deadline, _ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    return done.wait(timeout: deadline) == .success
}

/// An event that happens once and can be awaited.
struct Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// Returns false if the event has not happened after a time in which it should have.
    func pass() -> Bool { semaphore.wait(timeout: Watchdog.deadline) == .success }
}

/// Lets two threads do something at the same moment, repeatedly.
///
/// Each round has a new arena, created and checked by the calling thread. The threads start slightly apart, by a
/// different distance in each round. Only one race runs at a time, so that both threads have a core. It stops at the
/// first check that fails and, without stress, after half a second: on a busy machine each round waits for a core.
func race<Arena: Sendable>(
    rounds: Int = Stress.rounds(), _ make: () -> Arena, _ first: (Arena) -> Void,
    _ second: @escaping @Sendable (Arena) -> Void, check: (Arena) throws -> Void
) {
    raceTrack.wait()
    defer { raceTrack.signal() }
    let rendezvous = Lock(Rendezvous<Arena>())
    Thread {
        for round in 1...(rounds + 1) {
            spin { rendezvous.withLock { $0.published == round } }
            guard let arena = rendezvous.withLock({ $0.meet(round) }) else { return }
            spin { rendezvous.withLock { $0.started == round } }
            rendezvous.withLock { $0.schedule }.run(1) { second(arena) }
            rendezvous.withLock { $0.finished = round }
        }
    }.start()
    let end = DispatchTime.now() + 0.5
    for round in 1...rounds {
        if Stress.factor == 1, end < .now() { return rendezvous.withLock { $0.publish(nil, round) } }
        let arena = make()
        rendezvous.withLock { $0.publish(arena, round) }
        spin { rendezvous.withLock { $0.met == round } }
        let schedule = Schedule(threads: 2)
        rendezvous.withLock { $0.start(round, schedule) }
        linger(round % 64)
        schedule.run(0) { first(arena) }
        spin { rendezvous.withLock { $0.finished == round } }
        do { try check(arena) } catch { return rendezvous.withLock { $0.publish(nil, round + 1) } }
    }
    rendezvous.withLock { $0.publish(nil, rounds + 1) }
}

/// Runs closures, each on a thread, and waits until all have returned.
func together(_ bodies: [@Sendable () -> Void]) {
    let (schedule, done) = (Schedule(threads: bodies.count), DispatchGroup())
    for (index, body) in bodies.enumerated() {
        done.enter()
        Thread {
            schedule.run(index, body)
            done.leave()
        }.start()
    }
    done.wait()
}

/// In the configuration with delays, lets one of some threads run at a time: at each access to a lock or to an atomic byte
/// a random number decides who continues.
///
/// Without that, or while another schedule is followed, the threads run as they please.
///
/// `SIMPLEFUTURES_SCHEDULE=n` in the environment lets all threads follow the schedule with that number.
struct Schedule: Sendable {
    private static let given = ProcessInfo.processInfo.environment["SIMPLEFUTURES_SCHEDULE"].flatMap { UInt32($0) }
    private static let latest = Lock<UInt32?>(nil)

    /// The number of the latest schedule, for a failed check.
    static var note: String { latest.withLock { $0 }.map { " (SIMPLEFUTURES_SCHEDULE=\($0))" } ?? "" }

    private let isFollowed: Bool

    init(threads: Int) {
        let number = Self.given ?? .random(in: 0...UInt32.max)
        isFollowed = sf_begin_schedule(number, Int32(threads))
        if isFollowed { Self.latest.exchange(number) }
    }

    /// Runs a closure as the thread with this index.
    func run(_ index: Int, _ body: () -> Void) {
        guard isFollowed else { return body() }
        sf_join_schedule(Int32(index))
        body()
        sf_leave_schedule()
    }
}

/// An executor for tasks whose jobs run on one thread: that of `run(until:)`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ThreadExecutor: TaskExecutor, Sendable {
    private let jobs = DispatchQueue(label: "executor")
    private nonisolated(unsafe) var waiting: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.sync { waiting.append(job) }
    }

    /// Runs jobs on the caller's thread.
    ///
    /// Returns false if nothing comes for so long that nothing will.
    func run(until isOver: () -> Bool) -> Bool {
        var deadline = Watchdog.deadline
        while !isOver() {
            if let job = jobs.sync(execute: { waiting.isEmpty ? nil : waiting.removeFirst() }) {
                job.runSynchronously(on: asUnownedTaskExecutor())
                deadline = Watchdog.deadline
            } else if DispatchTime.now() > deadline {
                return false
            } else if !sf_give_way() {
                sched_yield()
            }
        }
        return true
    }
}

/// A cheaper `#require` for the checks of a race: the macro would take most of the time of a round.
func verify(
    _ condition: Bool, _ promise: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    guard !condition else { return }
    Issue.record("\(promise())\(Schedule.note)", sourceLocation: sourceLocation)
    throw Failure()
}

private let raceTrack = DispatchSemaphore(value: 1)

private struct Rendezvous<Arena> {
    var published = 0
    var met = 0
    var started = 0
    var finished = 0
    private(set) var schedule = Schedule(threads: 0)
    private var arena: Arena?

    mutating func publish(_ arena: Arena?, _ round: Int) {
        self.arena = arena
        published = round
    }

    mutating func start(_ round: Int, _ schedule: Schedule) {
        self.schedule = schedule
        started = round
    }

    mutating func meet(_ round: Int) -> Arena? {
        met = round
        return arena.take()
    }
}

/// Waits for a condition, which should be true for a time.
///
/// Returns false if it never is.
@discardableResult
func spin(_ isOver: () -> Bool) -> Bool {
    var turns = 0
    let deadline = Watchdog.deadline
    while !isOver() {
        turns += 1
        if turns.isMultiple(of: 1_000), DispatchTime.now() > deadline { return false }
        // A thread that has slept gets a busy processor sooner than one that has yielded it.
        if turns > 400 { usleep(10) } else if turns > 200 { sched_yield() }
    }
    return true
}

private func linger(_ turns: Int) {
    let box = Box(0)
    for _ in 0..<turns { box.value += 1 }
}

import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// A typical model of an app: a class that is not `Sendable`.
private final class Model {
    let id: Int
    private let whenReleased: @Sendable () -> Void

    init(_ id: Int, _ whenReleased: @escaping @Sendable () -> Void = {}) {
        self.id = id
        self.whenReleased = whenReleased
    }

    deinit { whenReleased() }
}

/// A callback API from before Swift 6.
private final class Store: Sendable {
    private let error: Oops?

    init(error: Oops? = nil) { self.error = error }

    private var model: Model? { error == nil ? Model(1) : nil }

    func optional(_ completion: @escaping (Model?, (any Error)?) -> Void) { completion(model, error) }
    func value(_ completion: @escaping (Model, (any Error)?) -> Void) { completion(Model(1), error) }
    func errorOnly(_ completion: @escaping ((any Error)?) -> Void) { completion(error) }
    func valueOnly(_ completion: @escaping (Model) -> Void) { completion(Model(1)) }
    func done(_ completion: @escaping () -> Void) { completion() }
    func result(_ completion: @escaping (Result<Model, Oops>) -> Void) {
        completion(error.map { .failure($0) } ?? .success(Model(1)))
    }
    func optionals(_ completion: @escaping (Model?, String?, (any Error)?) -> Void) { completion(model, "a", error) }
    func values(_ completion: @escaping (Model, String, (any Error)?) -> Void) { completion(Model(1), "a", error) }
    func either(success: @escaping (Model) -> Void, failure: @escaping (any Error) -> Void) {
        if let error { failure(error) } else { success(Model(1)) }
    }
    func errorFirst(_ completion: @escaping ((any Error)?, Model?) -> Void) { completion(error, model) }
    func errorThenValue(_ completion: @escaping ((any Error)?, Model) -> Void) { completion(error, Model(1)) }
    func concrete(_ completion: @escaping (Oops?) -> Void) { completion(error) }
    func two(id: Int, _ completion: @escaping (Model, Int) -> Void) { completion(Model(id), 2) }
    func purchase(_ id: Int, _ completion: @escaping (Model?, String?, (any Error)?, Bool) -> Void) {
        completion(model, nil, error, true)
    }
    func errorInFront(_ completion: @escaping ((any Error)?, Model, Bool, String) -> Void) {
        completion(error, Model(1), true, "a")
    }
    func nothing(_ completion: @escaping (Model?, (any Error)?) -> Void) { completion(nil, nil) }
    func never(_ completion: @escaping (Model?, (any Error)?) -> Void) {}
    func throwing(_ completion: @escaping (Model?, (any Error)?) -> Void) throws { throw Oops.thrown }
}

private typealias Handler = @Sendable (Model?, (any Error)?) -> Void

@MainActor @Suite("withCompletionHandler: values that are not Sendable", .watchdog)
struct WithCompletionHandlerTests {
    private let store = Store()
    private let closed = Store(error: .source)

    /// Expects a call to return a text, and to throw the error of the closed store.
    private func expect(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ call: (Store) async throws -> String
    ) async throws {
        #expect(try await call(store) == text, sourceLocation: sourceLocation)
        await #expect(throws: Oops.source, sourceLocation: sourceLocation) { _ = try await call(closed) }
    }

    @Test func `every shape returns its value or throws its error`() async throws {
        try await expect("1") { store in try await "\(withCompletionHandler { store.optional($0) }.id)" }
        try await expect("1") { store in try await "\(withCompletionHandler(store.optional).id)" }
        try await expect("1") { store in try await "\(withCompletionHandler { store.value($0) }.id)" }
        try await expect("") { store in
            try await withCompletionHandler { store.errorOnly($0) }
            return ""
        }
        try await expect("") { store in
            try await withCompletionHandler { store.concrete($0) }
            return ""
        }
        try await expect("1") { store in try await "\(withCompletionHandler { store.result($0) }.id)" }
        try await expect("1 a") { store in
            let asTheyCome = try await withCompletionHandler { store.optionals($0) }
            return "\(asTheyCome.0?.id ?? 0) \(asTheyCome.1 ?? "nil")"
        }
        try await expect("1 a") { store in
            let unwrapped: (Model, String) = try await withCompletionHandler { store.optionals($0) }
            return "\(unwrapped.0.id) \(unwrapped.1)"
        }
        try await expect("1 a") { store in
            let pair = try await withCompletionHandler { store.values($0) }
            return "\(pair.0.id) \(pair.1)"
        }
        try await expect("1") { store in
            try await "\(withCompletionHandler { store.either(success: $0, failure: $1) }.id)"
        }
        try await expect("1") { store in try await "\(withCompletionHandler { store.errorFirst($0) }.id)" }
        try await expect("1") { store in try await "\(withCompletionHandler { store.errorThenValue($0) }.id)" }
        try await expect("1") { store in try await "\(withCompletionHandler(store.errorThenValue).id)" }
        #expect(try await withCompletionHandler { store.valueOnly($0) }.id == 1)
        try await withCompletionHandler { store.done($0) }
        await #expect(throws: Oops.thrown) { _ = try await withCompletionHandler { try store.throwing($0) } }
        // Its counterpart for methods with a handle also takes an error of a concrete type.
        let handled = future(cancelToken: CancelToken()) { done in
            closed.concrete(done)
            return CancelAction {}
        }
        await #expect(throws: Oops.source) { try await handled.value }
    }

    @Test func `shapes that have no form of their own hand over all of their values`() async throws {
        let both = try await withCompletionHandler { store.two(id: 4, $0) }
        #expect(both.0.id == 4 && both.1 == 2)
        try await expect("1") { store in
            try await "\(withCompletionHandler { store.purchase(1, $0) }.0?.id ?? 0)"
        }
        try await expect("nil 1 true a") { store in
            let (error, model, isOpen, text) = try await withCompletionHandler(store.errorInFront)
            return "\(error.map { "\($0)" } ?? "nil") \(model.id) \(isOpen) \(text)"
        }
        await #expect(throws: FuturesError.self) {
            _ = try await withCompletionHandler { (_: @escaping @Sendable (Model, Int, Int, Bool) -> Void) in }
        }
    }

    @Test func `nil without an error throws, or is returned if an optional is annotated`() async throws {
        await #expect(throws: FuturesError.invalidCompletion) {
            _ = try await withCompletionHandler { store.nothing($0) }
        }
        await #expect(throws: FuturesError.invalidCompletion) {
            let _: (Model, String) = try await withCompletionHandler { $0(Model(1), nil, nil) }
        }
        let kept: Model? = try await withCompletionHandler { store.nothing($0) }
        #expect(kept == nil)
    }

    @Test func `a handler released uncalled throws an error with the place of the call`() async throws {
        let line = #line + 1
        let error = await #expect(throws: FuturesError.self) { _ = try await withCompletionHandler { store.never($0) } }
        guard case .brokenPromise(let site) = error else { throw Oops.other }
        #expect(site?.line == line, "\(error.debugDescription)")
    }

    @Test func `the value of the first call is passed on and not kept`() async throws {
        let (kept, isReleased) = (Box<Handler?>(nil), Box(false))
        do {
            let model = try await withCompletionHandler { (done: @escaping Handler) in
                kept.value = done
                done(Model(1) { isReleased.value = true }, nil)
                done(Model(2), nil)
                done(nil, Oops.other)
            }
            #expect(model.id == 1)
            #expect(!isReleased.value)
        }
        #expect(isReleased.value)
        #expect(kept.value != nil)
    }

    @Test(arguments: [true, false])
    func `a canceled task throws at once, cancels a handle, and drops a late result`(hasHandle: Bool) async throws {
        let (late, cancelled, isReleased) = (Box<Handler?>(nil), Box(0), Box(false))
        let task = Task { () -> Int in
            try await withCompletionHandler { (done: @escaping Handler) -> CancelAction? in
                late.value = done
                return hasHandle ? CancelAction { cancelled.increment() } : nil
            }.id
        }
        await until { late.value != nil }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        if hasHandle { await until { cancelled.value == 1 } }
        late.value?(Model(1) { isReleased.value = true }, nil)
        late.value = nil
        // The method may not have returned yet.
        await until { isReleased.value }
        #expect(cancelled.value == (hasHandle ? 1 : 0))
    }

    @Test func `the handle of a call that has answered is not canceled, even if its task has not resumed yet`() async {
        for round in 0..<Stress.rounds(20) {
            let (late, cancelled) = (Box<Handler?>(nil), Box(0))
            let task = Task { @MainActor in
                try await withCompletionHandler { (done: @escaping Handler) in
                    late.value = done
                    return CancelAction { cancelled.increment() }
                }.id
            }
            await until { late.value != nil }
            // The task resumes on this actor.
            late.value?(Model(round), nil)
            task.cancel()
            finishCancellations()
            #expect(cancelled.value == 0)
            #expect(await (try? task.value) == round)
        }
    }

    @Test func `the handle of a call that has answered is released, even if its handler is kept`() async throws {
        let kept = Box<Handler?>(nil)
        weak var handle: Probe?
        _ = try await withCompletionHandler { (done: @escaping Handler) in
            kept.value = done
            done(Model(1), nil)
            let probe = Probe()
            handle = probe
            return CancelAction { probe.use() }
        }
        #expect(handle == nil)
        #expect(kept.value != nil)
    }

    @Test func `canceling a task does not wait for the handle`() async {
        let (late, hasReturned) = (Box<Handler?>(nil), Gate())
        let task = Task {
            try await withCompletionHandler { (done: @escaping Handler) in
                late.value = done
                return CancelAction { hasReturned.pass() }
            }.id
        }
        await until { late.value != nil }
        task.cancel()
        hasReturned.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Lets the queue that cancels handles do what it has to do.
    private nonisolated func finishCancellations() {
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global(qos: .userInitiated).async { isDone.signal() }
        isDone.wait()
    }

    @Test func `in a canceled task the method is not called`() async {
        await inCancelledTask {
            await #expect(throws: CancellationError.self) {
                _ = try await withCompletionHandler { (_: @escaping Handler) in Issue.record("called") }
            }
        }
    }

    @Test func `a value that races with the cancellation is returned or released, once`() async throws {
        for round in 0..<Stress.rounds(200) {
            let (called, made, released) = (Box(0), Box(0), Box(0))
            let task = Task.detached { () -> Int in
                try await withCompletionHandler { (done: @escaping Handler) -> Void in
                    called.increment()
                    Task.detached {
                        made.increment()
                        done(Model(round) { released.increment() }, nil)
                    }
                }.id
            }
            if round.isMultiple(of: 2) { await Task.yield() }
            task.cancel()
            switch await task.result {
            case .success(let id): #expect(id == round && made.value == 1)
            case .failure(let error): #expect(error is CancellationError)
            }
            await until { made.value == called.value && released.value == made.value }
        }
    }
}

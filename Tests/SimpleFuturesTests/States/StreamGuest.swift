import Dispatch

@testable import SimpleFutures
@testable import TestSupport

/// A subscriber to the stream of a scene, and its calls.
final class StreamGuest: @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    /// The context of its calls.
    enum Form {
        case sink
        case here
        case onQueue
        /// A context of the user's that is an object.
        case onObject
        /// A context of the user's that is a value.
        case onValue
        /// It subscribes to the end only.
        case watcher
        case watcherOnValue

        var wantsEndOnly: Bool { self == .watcher || self == .watcherOnValue }

        /// The form that gets elements on the same context.
        var withElements: Form {
            switch self {
            case .watcher: .here
            case .watcherOnValue: .onValue
            case .sink, .here, .onQueue, .onObject, .onValue: self
            }
        }

        func route(_ context: SceneContext) -> _Route {
            switch withElements {
            case .onQueue: .queue(Self.dispatchQueue)
            case .onObject: .custom(context)
            case .onValue: _Route.custom(SceneContextValue(context: context)).comparable() ?? .immediate
            default: .immediate
            }
        }

        private static let dispatchQueue = DispatchQueue(label: "StreamGuest")
    }

    let number: Int
    let form: Form
    var subscriber: Subscriber?
    weak var probe: Probe?
    /// The received elements and ends.
    var heard: [Int] = []
    var ends: [StreamSignal] = []
    /// The first element that it must receive; nil until it has subscribed.
    var first: Int?
    var isRemoved = false

    // In its first callback, in this order:

    /// Whether it leaves, because its target has the last element.
    var leaves = false
    /// The number of elements that it emits.
    var emits = 0
    /// The subscriber that it adds.
    var brings: Form?
    /// Its waits for other callbacks: how often each may go on before it is over.
    var waits: [Int] = []

    init(_ number: Int, _ form: Form) {
        self.number = number
        self.form = form
    }

    func makeSubscriber() -> Subscriber {
        let probe = Probe()
        self.probe = probe
        let interest: StreamInterest = form.wantsEndOnly ? [.finish, .cancellation] : .everything
        let subscriber = Subscriber(interest) { [unowned self] event, _ in
            probe.use()
            for index in 0..<event.count { heard.append(event.raw(index).load(as: Int.self)) }
            if event.count == 0 { ends.append(event.signal) }
        }
        self.subscriber = subscriber
        return subscriber
    }
}

/// The context of a scene: the scene runs its tasks itself.
final class SceneContext: ExecutionContext, Sendable {
    func execute(_ task: @escaping @Sendable () -> Void) {}
}

/// The same as a value.
struct SceneContextValue: ExecutionContext, Hashable {
    let context: SceneContext

    func execute(_ task: @escaping @Sendable () -> Void) {}

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(context)) }

    static func == (one: Self, other: Self) -> Bool { one.context === other.context }
}

import Dispatch
import SimpleFutures
import Testing

/// The contexts over which tests are parameterised.
enum Place: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case immediate = "the immediate context"
    case inline = "a user's inline context"
    case serialQueue = "a serial queue"

    var testDescription: String { rawValue }

    func make() -> Spot {
        switch self {
        case .immediate: Spot(inline: ImmediateContext())
        case .inline: Spot(inline: InlineContext())
        case .serialQueue: Spot(serial: DispatchQueue(label: "place"))
        }
    }
}

/// A context, and a way to wait for its tasks.
struct Spot: Sendable {
    let context: any ExecutionContext
    private let queue: DispatchQueue?

    init(inline context: any ExecutionContext) {
        self.context = context
        queue = nil
    }

    init(serial queue: DispatchQueue) {
        context = queue
        self.queue = queue
    }

    /// Waits for the tasks that the context has now.
    func settle() { queue?.sync {} }
}

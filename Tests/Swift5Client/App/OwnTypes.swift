import Dispatch
import SimpleFutures

/// The app's own future, written from scratch: a class with mutable state and its own lock.
class Deferred<Value>: Futurable {
    typealias T = Value

    private let lock = DispatchQueue(label: "almanac.deferred")
    private var stored: Try<Value>?
    private var callbacks = [(ExecutionContext, (Try<Value>) -> Void)]()
    var label = ""

    required init() {}

    required init(value: Value) { stored = .success(value) }

    required init(error: Error) { stored = .failure(error) }

    required init(context: ExecutionContext, dependent: Deferred<Value>) {
        label = dependent.label
        dependent.onComplete(context: context) { result in
            self.complete(result)
        }
    }

    var result: Try<Value>? { return lock.sync { stored } }

    func complete(_ result: Try<Value>) {
        var waiting = [(ExecutionContext, (Try<Value>) -> Void)]()
        lock.sync {
            guard stored == nil else { return }
            stored = result
            waiting = callbacks
            callbacks.removeAll()
        }
        for (context, callback) in waiting {
            context.execute { callback(result) }
        }
    }

    func onComplete(
        context: ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = CancelToken(),
        completion: @escaping (Try<Value>) -> Void
    ) {
        let result = lock.sync { () -> Try<Value>? in
            if stored == nil { callbacks.append((context, completion)) }
            return stored
        }
        if let result = result {
            context.execute { completion(result) }
        }
    }
}

/// A subclass, and a type for values of a class.
final class NamedReport: Deferred<Report> {
    var names = [String]()

    override func complete(_ result: Try<Report>) {
        names.append(result.value?.city ?? "?")
        super.complete(result)
    }
}

/// Generic code for futures of any type.
func make<Source: Futurable>(_ type: Source.Type, _ value: Source.T?) -> Source {
    guard let value = value else { return Source(error: WeatherError.offline) }
    return Source(value: value)
}

func count<Source: Futurable, Item>(in source: Source) -> Future<Int> where Source.T == [Item] {
    return source.map(context: ImmediateContext()) { $0.count }
}

func doubled(_ numbers: [Int]) -> Future<[Int]> {
    return numbers.traverse { Deferred(value: $0 * 2) }
}

/// A function with a default context, like the default of 0.2.
func label(of context: QueueContext = QueueContext.futuresDefault) -> String {
    return context.queue.queue.label
}

func readings(_ done: @escaping (Result<Int, Error>) -> Void) { done(.success(7)) }

/// Inferred as a future of a number.
func reading() -> Future<Int> {
    let future = SimpleFutures.future(method: readings)
    return future
}

/// The app's own result type.
enum Answer<Value>: Tryable {
    case right(Value)
    case wrong(Error)

    init(_ value: Value) { self = .right(value) }
    init(_ error: Error) { self = .wrong(error) }

    var value: Value? {
        if case .right(let value) = self { return value }
        return nil
    }

    var error: Error? {
        if case .wrong(let error) = self { return error }
        return nil
    }
}

func successes<Source: Tryable>(_ answers: [Source]) -> Int {
    var count = 0
    answers.forEach { $0.forEach { _ in count += 1 } }
    return count
}

func number(_ text: String?) -> Try<Int> {
    return Try {
        guard let number = text.filter({ !$0.isEmpty }).flatMap({ Int($0) }) else { throw WeatherError.unknownCity }
        return number
    }
}

import SimpleFutures

/// The app's own context: it keeps tasks until a test runs them.
///
/// Its state is not protected.
class SteppingContext: ExecutionContext {
    var tasks = [() -> Void]()

    func execute(_ task: @escaping () -> Void) { tasks.append(task) }

    func step() {
        while !tasks.isEmpty { tasks.removeFirst()() }
    }
}

/// A context that wraps another one.
class LoggingContext: ExecutionContext {
    let wrapped: ExecutionContext
    var log = [String]()

    init(_ wrapped: ExecutionContext) { self.wrapped = wrapped }

    func execute(_ task: @escaping () -> Void) {
        log.append("begin")
        wrapped.execute {
            task()
            self.log.append("end")
        }
    }
}

/// A structure that holds contexts, as settings do.
struct Settings {
    var callbacks: ExecutionContext = QueueContext.main
    var work: ExecutionContext = QueueContext(queue: Queue("almanac.work"))

    static let forTests = Settings(callbacks: ImmediateContext(), work: ImmediateContext())

    func start() { QueueContext.futuresDefault = callbacks }

    var all: [String: ExecutionContext] {
        return ["main": QueueContext.main, "global": QueueContext.global, "default": QueueContext.futuresDefault]
    }
}

func countRuns(on contexts: [ExecutionContext]) -> Int {
    var count = 0
    for context in contexts {
        context.execute { count += 1 }
    }
    ImmediateContext().execute { count += 1 }
    MaxStackDepthContext().execute { count += 1 }
    return count
}

/// Records from several threads, ordered by a queue.
class Notebook {
    private let queue = Queue("almanac.notebook")
    private var lines = [String]()

    var all: [String] { return queue.sync { lines } }

    func add(_ line: String) { queue.async { self.lines.append(line) } }

    func clear() { queue.sync { lines.removeAll() } }

    func remind(of line: String, in seconds: Double, completion: @escaping (Notebook) -> Void) {
        queue.delay(seconds) {
            self.lines.append(line)
            completion(self)
        }
    }
}

func onMain(_ work: @escaping () -> Void) { Queue.main.async(work) }

func inBackground<Value>(_ work: @escaping () -> Value, completion: @escaping (Value) -> Void) {
    Queue.global.async {
        let value = work()
        onMain { completion(value) }
    }
}

func labels() -> [String] {
    return [Queue("almanac.first"), Queue(Queue("almanac.second").queue)].map { $0.queue.label }
}

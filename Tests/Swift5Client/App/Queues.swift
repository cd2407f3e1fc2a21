import SimpleFutures

/// Notes from several threads, kept in order by a queue.
class Notebook {
    private let queue = Queue("almanac.notebook")
    private var lines = [String]()

    func add(_ line: String) {
        queue.async {
            self.lines.append(line)
        }
    }

    func clear() {
        queue.sync {
            lines.removeAll()
        }
    }

    var all: [String] {
        return queue.sync { lines }
    }

    func count(where matches: (String) -> Bool) -> Int {
        let number = queue.sync { () -> Int in
            var number = 0
            for line in lines where matches(line) { number += 1 }
            return number
        }
        return number
    }

    func remind(of line: String, in seconds: Double, completion: @escaping (Notebook) -> Void) {
        queue.delay(seconds) {
            self.lines.append(line)
            completion(self)
        }
    }
}

func onMain(_ work: @escaping () -> Void) {
    Queue.main.async(work)
}

func inBackground<Value>(_ work: @escaping () -> Value, completion: @escaping (Value) -> Void) {
    Queue.global.async {
        let value = work()
        completion(value)
    }
}

func labels() -> [String] {
    return [Queue("almanac.first"), Queue(Queue("almanac.second").queue)].map { $0.queue.label }
}

/// Tasks by deadline, and by the order of their creation if deadlines are equal: a binary heap.
///
/// A removed task leaves its entry in the heap, to be skipped later. When more than half of the entries are such, the
/// heap is rebuilt. So adding and removing take logarithmic time.
struct TimerQueue {
    typealias ID = Int
    typealias Task = @Sendable () -> Void

    private struct Entry: Comparable {
        let deadline: Duration
        let id: ID

        static func < (left: Entry, right: Entry) -> Bool {
            left.deadline == right.deadline ? left.id < right.id : left.deadline < right.deadline
        }
    }

    private var heap: [Entry] = []
    private var tasks: [ID: Task] = [:]
    private var lastID = 0

    init() {}

    var count: Int { tasks.count }

    mutating func add(at deadline: Duration, _ task: @escaping Task) -> ID {
        lastID += 1
        tasks[lastID] = task
        heap.append(Entry(deadline: deadline, id: lastID))
        siftUp(from: heap.count - 1)
        return lastID
    }

    mutating func remove(_ id: ID) -> Task? {
        guard let task = tasks.removeValue(forKey: id) else { return nil }
        if heap.count > 64, heap.count > 2 * tasks.count {
            // A sorted array is a heap.
            heap = heap.filter { tasks[$0.id] != nil }.sorted()
        }
        return task
    }

    /// Removes the first task whose deadline is not after `end`.
    mutating func popFirst(until end: Duration) -> (Duration, Task)? {
        while let first = heap.first {
            guard tasks[first.id] == nil || first.deadline <= end else { return nil }
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
            siftDown(from: 0)
            if let task = tasks.removeValue(forKey: first.id) { return (first.deadline, task) }
        }
        return nil
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

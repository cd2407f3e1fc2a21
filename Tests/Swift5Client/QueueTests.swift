import SimpleFutures
import Testing

@Suite("A Swift 5 client: queues")
struct QueueTests {
    @Test func `a queue keeps state in order, runs blocks and returns values`() {
        let notebook = Notebook()
        notebook.add("rain")
        notebook.add("sun")
        #expect(notebook.all == ["rain", "sun"])
        #expect(notebook.count { $0.hasPrefix("s") } == 1)
        notebook.clear()
        #expect(notebook.all.isEmpty)
        #expect(labels() == ["almanac.first", "almanac.second"])
    }

    @Test func `a queue runs blocks later, on main and in the background`() async {
        let notebook = Notebook()
        let lines = await withCheckedContinuation { done in
            notebook.remind(of: "umbrella", in: 0) { _ in
                inBackground({ 2 + 2 }, completion: { four in onMain { done.resume(returning: "\(four)") } })
            }
        }
        #expect(lines == "4")
        #expect(notebook.all == ["umbrella"])
    }
}

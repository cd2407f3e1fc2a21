import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Several streams of a main-actor module, and parts of one", .watchdog)
struct StreamJoiningTests {
    private let first = StreamPromise<Int>()
    private let second = StreamPromise<Int>()

    private func send(from origin: Origin, and other: Origin) {
        origin.call { [first] in
            for number in [1, 1, 2, 3] { first.success(number) }
            first.finish()
        }
        other.call { [second] in
            for number in [4, 5] { second.success(number) }
            second.finish()
        }
    }

    @Test(arguments: Origin.allCases, Origin.allCases)
    func `merge and zip`(origin: Origin, other: Origin) async {
        let merged = first.stream.merge(second.stream)
        let function = merge(first.stream, second.stream, FutureStream { _ in })
        let (zipped, pairs) = (first.stream.zip(second.stream), zip(first.stream, second.stream))
        send(from: origin, and: other)
        #expect(await merged.values().sorted() == [1, 1, 2, 3, 4, 5])
        #expect(await function.values().filter { $0 > 3 } == [4, 5])
        #expect(await zipped.values().map { $0.0 * 10 + $0.1 } == [14, 15])
        #expect(await pairs.values().map { $0.0 * 10 + $0.1 } == [14, 15])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `take, drop and distinct`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let (taken, dropped) = (first.stream.take(2), first.stream.drop(2))
        let distinct = first.stream.distinct(context: context)
        let parity = first.stream.distinct(context: context) { $0 % 2 == $1 % 2 }
        send(from: origin, and: .here)
        #expect(await taken.values() == [1, 1])
        #expect(await dropped.values() == [2, 3])
        #expect(await distinct.values(on: context) == [1, 2, 3])
        #expect(await parity.values(on: context) == [1, 2, 3])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `on a context of the main actor a model may compare`(place: Place, origin: Origin) async {
        let model = FeedModel()
        let distinct = first.stream.distinct(context: place.makeContext()) { last, next in
            MainActor.assumeIsolated {
                model.end("\(last) \(next)")
                return last == next
            }
        }
        send(from: origin, and: .here)
        #expect(await distinct.values() == [1, 2, 3])
        #expect(model.log == ["1 1", "1 2", "2 3"])
    }
}

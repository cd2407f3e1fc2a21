import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Many futures of a main-actor module, on every context, from everywhere", .watchdog)
struct GatheringTests {
    private let promises = (0..<4).map { _ in Promise<Int>() }
    private var futures: [Future<Int>] { promises.map { $0.future } }

    /// Each one from another place, beginning with a given one.
    private func succeed(from origin: Origin) {
        let origins = [origin] + Origin.allCases.filter { $0 != origin }
        for (index, (promise, origin)) in zip(promises, origins).enumerated() {
            origin.call { promise.success(index) }
        }
    }

    @Test(arguments: Origin.allCases)
    func `zip, sequence and settled`(origin: Origin) async throws {
        let zipped = zip(futures[0], futures[1], futures[2].map { "\($0)" })
        let pair = futures[0].zip(futures[3])
        let (all, settled) = (futures.sequence(), futures.settled())
        succeed(from: origin)
        #expect(try await zipped.value == (0, 1, "2"))
        #expect(try await pair.value == (0, 3))
        #expect(try await all.value == [0, 1, 2, 3])
        #expect(try await settled.value.map { $0.value } == [0, 1, 2, 3])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `fold and reduce`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let text = futures.fold(context: context, initial: "") { $0 + "\($1)" }
        let sum = futures.reduce(context: context) { $0 + $1 }
        succeed(from: origin)
        #expect(try await text.end(on: context).get() == "0123")
        #expect(try await sum.end(on: context).get() == 6)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `find, firstCompleted and firstSucceeded`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let three = futures.find(context: context) { $0 == 3 }
        let (completed, succeeded) = (futures.firstCompleted(), futures.firstSucceeded())
        succeed(from: origin)
        #expect(try await three.end(on: context).get() == 3)
        #expect(try await (0..<4).contains(completed.value))
        #expect(try await (0..<4).contains(succeeded.value))
    }

    @Test(arguments: Origin.allCases)
    func `a traversal maps on the main actor, where it is called`(origin: Origin) async throws {
        let catalogue = Catalogue(origin: origin)
        let names = [1, 2, 3].traverse { catalogue.name(of: $0) }
        let same = [1, 2, 3].traverse(mapping: catalogue.name)
        #expect(catalogue.requests == [1, 2, 3, 1, 2, 3])
        #expect(try await names.value == ["1", "2", "3"])
        #expect(try await same.value == ["1", "2", "3"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a bounded traversal maps on its context`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let doubled = [1, 2, 3].traverse(maxConcurrent: 2, context: context) { id in
            Future { complete in origin.call { complete(.success(id * 2)) } }
        }
        #expect(try await doubled.end(on: context).get() == [2, 4, 6])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `on a context of the main actor closures may use a model`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let catalogue = Catalogue(origin: origin)
        let names = [1, 2].traverse(maxConcurrent: 1, context: context) { id in
            MainActor.assumeIsolated { catalogue.name(of: id) }
        }
        let known = futures.fold(context: context, initial: 0) { sum, id in
            MainActor.assumeIsolated { sum + id + catalogue.page }
        }
        let found = futures.find(context: context) { id in MainActor.assumeIsolated { id == catalogue.page } }
        succeed(from: origin)
        #expect(try await names.value == ["1", "2"])
        #expect(try await known.value == 14)
        #expect(try await found.value == 2)
    }
}

private final class Catalogue {
    let origin: Origin
    var page = 2
    private(set) var requests: [Int] = []

    init(origin: Origin) { self.origin = origin }

    func name(of id: Int) -> Future<String> {
        requests.append(id)
        return Future { complete in origin.call { complete(.success("\(id)")) } }
    }
}

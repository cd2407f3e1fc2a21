import Callbacks
import Foundation
import SourceFiles
import Testing

@testable import Scanning

func inventory(_ texts: String...) -> Inventory {
    Inventory(texts.enumerated().map { FileFacts(SourceFile(path: "\($0.offset).swift", text: $0.element)) })
}

extension Inventory {
    func entry(_ name: String) -> InventoryEntry? { entries.first { $0.function.facts.qualifiedName == name } }
}

private let client = """
    class Client {
        func load(id: Int, completion: @escaping (Int?, Error?) -> Void) {}
        func save(_ value: Int, completion: ((Error?) -> Void)? = nil) {}
    }
    """

@Suite struct FindingCallers {
    @Test func `Finds callers by name and labels, with trailing closures, arguments and optional chaining`() throws {
        let scan = inventory(
            client,
            """
            class Caller {
                func a() { client.load(id: 1) { _, _ in } }
                func b() { client?.load(id: 1, completion: handle) }
                func c() { load(name: "x") { _, _ in } }
                func d() { client.load(1) { _, _ in } }
                func e() { client.save(1) }
                var f: Int { client.save(1) { _ in }; return 1 }
            }
            """)
        #expect(scan.entry("Client.load(id:completion:)")?.callers == ["Caller.a()", "Caller.b()"])
        #expect(scan.entry("Client.save(_:completion:)")?.callers == ["Caller.f"])
    }

    @Test func `A call on self means the function of the same type`() {
        let scan = inventory(
            """
            class A { func load(completion: @escaping (Int) -> Void) {}; func go() { load { _ in } } }
            class B { func load(completion: @escaping (Int) -> Void) {}; func go() { self.load { _ in } } }
            class C { func go(a: A) { a.load { _ in } } }
            """)
        #expect(scan.entry("A.load(completion:)")?.callers == ["A.go()", "C.go(a:)"])
        #expect(scan.entry("B.load(completion:)")?.callers == ["B.go()", "C.go(a:)"])
    }

    @Test func `Tells leaves, the middle and roots`() {
        let scan = inventory(
            """
            func leaf(completion: @escaping (Int) -> Void) {}
            func middle(completion: @escaping (Int) -> Void) { leaf(completion: completion) }
            func root(completion: @escaping (Int) -> Void) { middle { x in leaf { y in completion(x + y) } } }
            """)
        #expect(scan.entries.map(\.level) == [.leaf, .middle, .root])
        #expect(scan.entry("root(completion:)")?.callees == ["leaf(completion:)", "middle(completion:)"])
    }
}

@Suite struct CountingProgress {
    @Test(arguments: [
        "extension Client { func load(id: Int) -> Future<Int> { future { load(id: id, completion: $0) } } }",
        "extension Client { func load(id: Int, cancelToken: CancelToken) -> Future<Int> { x } }",
        "extension Client { func load(id: Int) async throws -> Int { 1 } }",
        "func other(client: Client) -> Future<Int> { future { client.load(id: 1, completion: $0) } }",
        "func other(client: Client) -> Future<Int> { future(method: { client.load(id: 1, completion: $0) }) }",
    ])
    func `A function is wrapped by an overload or by future`(_ text: String) {
        let scan = inventory(client, text)
        #expect(scan.entry("Client.load(id:completion:)")?.stage == .wrapped)
        #expect(scan.entry("Client.load(id:completion:)")?.callers == [])
        #expect(scan.totals == Totals(functions: 2, wrapped: 1, awaited: 0))
    }

    @Test func `A reference to a method wraps it`() {
        let scan = inventory(
            """
            class A { func load(_ completion: @escaping (Int) -> Void) {} }
            let future = future(method: a.load)
            """)
        #expect(scan.totals.wrapped == 1)
    }

    @Test(arguments: [
        "func f() async throws { _ = try await client.load(id: 1).timeout(.seconds(1)).value }",
        "func f() async throws { async let a = client.load(id: 1).value; _ = try await a }",
        "func f() async throws { _ = try await withCompletionHandler { client.load(id: 1, completion: $0) } }",
    ])
    func `A function is awaited if its overload stands after await`(_ text: String) {
        let overload =
            "extension Client { func load(id: Int) -> Future<Int> { future { load(id: id, completion: $0) } } }"
        #expect(inventory(client, overload, text).totals == Totals(functions: 2, wrapped: 1, awaited: 1))
    }

    @Test func `An overload that awaits the completion handler wraps the function, and doesn't count as a caller`() {
        let overload = """
            extension Client {
                func load(id: Int) async throws -> Int {
                    try await withCompletionHandler { load(id: id, completion: $0) }
                }
            }
            """
        #expect(inventory(client, overload).totals == Totals(functions: 2, wrapped: 1, awaited: 0))
    }

    @Test func `The await in an overload doesn't count, and neither does one of a function that isn't wrapped`() {
        let overload = "extension Client { func load(id: Int) async -> Int { await load(id: id) } }"
        #expect(inventory(client, overload).totals == Totals(functions: 2, wrapped: 1, awaited: 0))
        #expect(inventory(client, "func f() async { await load(id: 1) }").totals.awaited == 0)
    }

    @Test func `An await that may be one of another type's async function doesn't count`() {
        let overload = "extension Client { func load(id: Int) async throws -> Int { 1 } }"
        let caller = "func f(x: Other) async throws { _ = try await x.load(id: 1) }"
        let other = "class Other { func load(id: Int) async throws -> Int { 1 } }"
        #expect(inventory(client, overload, caller).totals.awaited == 1)
        #expect(inventory(client, overload, caller, other).totals.awaited == 0)
    }

    @Test func `An overload that returns a future and keeps another handler isn't a function to wrap`() {
        let text = "func go(finished: @escaping () -> Void) -> Future<Int> { x }"
        #expect(inventory(text).totals.functions == 0)
    }

    @Test func `An overload of another type doesn't count`() {
        #expect(inventory(client, "class Other { func load(id: Int) async -> Int { 1 } }").totals.wrapped == 0)
    }

    @Test func `Writes the line of progress with separators`() {
        var scan = inventory()
        #expect(scan.progressLine == "0 of 0 wrapped, 0 awaited")
        scan = inventory(client)
        #expect(scan.progressLine == "0 of 2 wrapped, 0 awaited")
        #expect(Table.grouped(1510) == "1,510")
        #expect(Table.grouped(1_234_567) == "1,234,567")
        #expect(Table.grouped(87) == "87")
    }
}

@Suite struct OtherCallbacks {
    @Test func `Lists delegates, repeated callbacks and functions that the system calls, apart from the others`() {
        let scan = inventory(
            """
            protocol PumpDelegate: AnyObject { func pumpDidStart(); func pumpShouldStop() -> Bool }
            class Pump {
                var onChange: ((Int) -> Void)?
                var formatter: (Int) -> String = { _ in "" }
                func observe(_ handler: @escaping (Int) -> Void) {}
                func pump(progress: @escaping (Double) -> Void, completion: @escaping () -> Void) {}
                override func viewDidDoIt(completion: @escaping () -> Void) {}
            }
            """)
        #expect(scan.delegates.map(\.facts.name) == ["PumpDelegate"])
        #expect(scan.delegates[0].facts.events == ["pumpDidStart()"])
        #expect(scan.delegates[0].facts.questions == ["pumpShouldStop()"])
        #expect(scan.repeated.map(\.name) == ["Pump.onChange", "Pump.observe(_:)", "Pump.pump(progress:completion:)"])
        #expect(scan.entries.map(\.function.facts.name) == ["pump"])
        #expect(scan.calledBySystem.map(\.facts.name) == ["viewDidDoIt"])
        #expect(scan.report.functions.map(\.isCalledBySystem) == [false, true])
    }
}

@Suite struct Drafts {
    @Test func `A function of a delegate counts once, and not again in the draft of its class`() {
        let scan = inventory(
            """
            protocol PumpDelegate: AnyObject {
                func pumpDidStart()
                func pump(_ pump: Pump, allows user: String, completion: @escaping (Bool) -> Void)
                func pump(_ pump: Pump, fills progress: @escaping (Double) -> Void)
            }
            """,
            """
            final class PumpEvents: PumpDelegate {
                func pumpDidStart() { promise.success(()) }
                func pump(_ pump: Pump, allows user: String, completion: @escaping (Bool) -> Void) { allows(completion) }
                func pump(_ pump: Pump, fills progress: @escaping (Double) -> Void) { fills(progress) }
            }
            class Other: PumpDelegate {
                func pump(_ pump: Pump, allows user: String, completion: @escaping (Bool) -> Void) {}
            }
            """)
        #expect(
            scan.entries.map(\.function.facts.qualifiedName)
                == ["PumpDelegate.pump(_:allows:completion:)", "Other.pump(_:allows:completion:)"])
        #expect(scan.repeated.map(\.path) == ["0.swift"])
    }
}

@Suite struct Reporting {
    @Test func `JSON has what the table shows`() throws {
        let scan = inventory(client)
        let report = try JSONDecoder().decode(ScanReport.self, from: scan.json())
        #expect(report.totals == Totals(functions: 2, wrapped: 0, awaited: 0))
        let load = try #require(report.functions.first)
        #expect(load.name == "Client.load(id:completion:)")
        #expect(load.future == "future { load(id: id, completion: $0) }")
        #expect(load.value == "Int")
        #expect(load.line == 2)
        #expect(load.column == 10)
        #expect(scan.table().contains("load(id:completion:)"))
        #expect(scan.table(width: 60).contains("…"))
    }

    @Test func `A baseline fails only if more functions are left`() throws {
        let baseline = Baseline(Totals(functions: 10, wrapped: 4, awaited: 0))
        #expect(try Baseline(Data(baseline.text.utf8)) == baseline)
        #expect(baseline.comparison(with: Totals(functions: 11, wrapped: 4, awaited: 0), file: "b").hasRisen)
        #expect(!baseline.comparison(with: Totals(functions: 11, wrapped: 5, awaited: 0), file: "b").hasRisen)
        let lower = baseline.comparison(with: Totals(functions: 10, wrapped: 5, awaited: 0), file: "b")
        #expect(!lower.hasRisen && lower.text.contains("--write"))
    }
}

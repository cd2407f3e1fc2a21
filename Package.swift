// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SimpleFutures",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "SimpleFutures", targets: ["SimpleFutures"]),
        .library(name: "SimpleFuturesInterop", targets: ["SimpleFuturesInterop"]),
        .library(name: "SimpleFuturesFoundation", targets: ["SimpleFuturesFoundation"]),
    ],
    targets: [
        // The lock and the atomic byte inside of an object, for which Swift has nothing before macOS 15 and iOS 18.
        .target(name: "CSimpleFutures"),
        .target(name: "SimpleFutures", dependencies: ["CSimpleFutures"]),
        .target(name: "SimpleFuturesInterop", dependencies: ["SimpleFutures"]),
        .target(
            name: "SimpleFuturesFoundation", dependencies: ["CSimpleFutures", "SimpleFutures", "SimpleFuturesInterop"]),
        .executableTarget(
            name: "MigrationTour", dependencies: ["SimpleFutures", "SimpleFuturesInterop", "SimpleFuturesFoundation"]),
        .target(
            name: "TestSupport", dependencies: ["CSimpleFutures", "SimpleFutures", "SimpleFuturesInterop"],
            path: "Tests/TestSupport"),
        .testTarget(name: "SimpleFuturesTests", dependencies: ["CSimpleFutures", "SimpleFutures", "TestSupport"]),
        .testTarget(
            name: "SimpleFuturesInteropTests", dependencies: ["SimpleFutures", "SimpleFuturesInterop", "TestSupport"]),
        .testTarget(
            name: "SimpleFuturesFoundationTests",
            dependencies: ["SimpleFutures", "SimpleFuturesInterop", "SimpleFuturesFoundation", "TestSupport"]),
        .plugin(name: "ExtractSnippets", capability: .buildTool(), path: "Tests/Snippets"),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["SimpleFutures", "SimpleFuturesInterop", "SimpleFuturesFoundation", "TestSupport"],
            plugins: ["ExtractSnippets"]),
        .testTarget(name: "ModelTests", dependencies: ["SimpleFutures", "SimpleFuturesInterop", "TestSupport"]),
        .testTarget(
            name: "MainActorClient", dependencies: ["SimpleFutures", "SimpleFuturesInterop", "TestSupport"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "Swift5Client", dependencies: ["SimpleFutures", "SimpleFuturesInterop", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)

// Code of the time before concurrency knows nothing of what follows, readers of the documentation need not, and a plugin cannot.
let plain: Set = ["Swift5Client", "DocumentationTests", "ExtractSnippets"]
for target in package.targets where !plain.contains(target.name) {
    var settings = target.swiftSettings ?? []
    settings += [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    target.swiftSettings = settings
}

// A sanitizer finds nothing where one thread acts: `.ci/run` does not even compile those tests with it.
if Context.environment["SIMPLEFUTURES_SANITIZED"] == "1" {
    let oneThread: Set = ["Swift5Client", "MainActorClient", "DocumentationTests", "ExtractSnippets", "MigrationTour"]
    package.targets.removeAll { oneThread.contains($0.name) }
}

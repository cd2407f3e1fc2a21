// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that what it depends on never reaches a user of SimpleFutures.

let settings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, so that the folder the package lies in may have any name.
        .package(name: "SimpleFutures", path: ".."),
        // Without its traits, which would bring in packages that interpose malloc and the Swift runtime.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    ],
    targets: [
        // The measured code: ours and the peers', each a function that does one thing a number of times.
        .target(
            name: "Scenarios",
            dependencies: [
                .product(name: "SimpleFutures", package: "SimpleFutures"),
                .product(name: "SimpleFuturesInterop", package: "SimpleFutures"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ],
            swiftSettings: settings
        ),
        // The allocator's own count of the bytes in use.
        .target(name: "CHeap"),
        // Ratios to the peers, and the runs that callgrind counts.
        .executableTarget(name: "measure", dependencies: ["Scenarios", "CHeap"], swiftSettings: settings),
        // The same scenarios as benchmarks with baselines and thresholds.
        .executableTarget(
            name: "FuturesBenchmarks",
            dependencies: ["Scenarios", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/FuturesBenchmarks",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // The claims of the README about the library and its peers, shown by running both.
        .testTarget(
            name: "ClaimsTests",
            dependencies: [
                .product(name: "SimpleFutures", package: "SimpleFutures"),
                .product(name: "SimpleFuturesInterop", package: "SimpleFutures"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: settings
        ),
        // The bridges that the pages for users of SwiftNIO and Combine show.
        .testTarget(
            name: "BridgesTests",
            dependencies: [
                .product(name: "SimpleFutures", package: "SimpleFutures"),
                .product(name: "SimpleFuturesInterop", package: "SimpleFutures"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

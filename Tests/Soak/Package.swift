// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that it is not among the products of the library.

let package = Package(
    name: "Soak",
    platforms: [.macOS(.v13)],
    // Named, so that the library's folder may have any name.
    dependencies: [.package(name: "SimpleFutures", path: "../..")],
    targets: [
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "SimpleFutures", package: "SimpleFutures"),
                .product(name: "SimpleFuturesInterop", package: "SimpleFutures"),
            ],
            swiftSettings: [
                // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
                .enableUpcomingFeature("ExistentialAny"),
                // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
                .enableUpcomingFeature("MemberImportVisibility"),
                // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
                .enableUpcomingFeature("InternalImportsByDefault"),
                // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)

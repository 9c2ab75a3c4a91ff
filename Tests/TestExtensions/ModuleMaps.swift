// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The C modules that the library and the packages below it were built with, for tests that start
/// the compiler.
public enum ModuleMaps {
  /// Options that name the module map of each C module of a build: those that the package manager
  /// wrote into the folder of the products, and those that packages bring with them.
  ///
  /// - Parameter products: the folder of the products (`.build/debug`).
  public static func options(products: URL) -> [String] {
    let products = products.resolvingSymlinksInPath()
    // Modules of tools that run during a build have a second folder.
    let written = folders(in: products).filter { folder in
      folder.pathExtension == "build" && !folder.lastPathComponent.hasSuffix("-tool.build")
    }
    let checkouts = products.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "checkouts")
    let brought = folders(in: checkouts).flatMap { package in
      folders(in: package.appending(path: "Sources")).map { $0.appending(path: "include") }
    }
    return (written + brought).flatMap { folder -> [String] in
      let map = folder.appending(path: "module.modulemap").path
      guard FileManager.default.fileExists(atPath: map) else { return [] }
      return ["-Xcc", "-fmodule-map-file=\(map)"]
    }
  }

  /// What a folder holds, in the order of the names; nothing where there is no such folder.
  private static func folders(in folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appending(path: $0) }
  }
}

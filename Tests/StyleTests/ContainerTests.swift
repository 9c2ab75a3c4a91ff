// SPDX-License-Identifier: Apache-2.0

// The files for containers, step by step: an engine that builds them is not on every machine, and
// takes a quarter of an hour.

import Foundation
import Testing

struct ContainerTests {
  private static let files = [
    "Examples/RealmServer/Containerfile", "Examples/RealmNotes/Containerfile",
  ]

  /// The instructions of a file, each in one line.
  private static func instructions(_ path: String) throws -> [String] {
    try Repository.text(path).replacing("\\\n", with: " ").split(separator: "\n")
      .map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// The words after a word, in all instructions.
  private static func words(after word: String, in instructions: [String]) -> Set<String> {
    var found: Set<String> = []
    for instruction in instructions {
      let words = instruction.split(separator: " ").map(String.init)
      for (index, next) in words.dropFirst().enumerated() where words[index] == word {
        found.insert(next)
      }
    }
    return found
  }

  @Test(arguments: files) func theManifestFindsWhatIsCopied(_ path: String) throws {
    let copied = try Self.instructions(path).filter {
      $0.hasPrefix("COPY ") && !$0.contains("--from=")
    }.flatMap { $0.split(separator: " ").dropFirst().dropLast().map(String.init) }
    #expect(copied.contains("Package.swift"))
    for name in copied {
      let place = Repository.root.appending(path: name).path
      #expect(FileManager.default.fileExists(atPath: place), "\(name)")
    }
    // The package manager looks at the folders of all targets before it builds one.
    let manifest = try Repository.text("Package.swift")
    let named = manifest.components(separatedBy: "path: \"").dropFirst()
    #expect(named.count > 10)
    for folder in Set(named.compactMap { $0.split(separator: "/").first.map(String.init) })
      .union(["Sources", "Tests", "Plugins"])
    { #expect(copied.contains(folder), "\(folder) of the manifest") }
  }

  @Test(arguments: files) func theManifestHasWhatIsBuilt(_ path: String) throws {
    let instructions = try Self.instructions(path)
    let manifest = try Repository.text("Package.swift")
    let products = Self.words(after: "--product", in: instructions)
    #expect(products.count == 1)
    for product in products {
      #expect(manifest.contains("name: \"\(product)\""), "\(product)")
      // The program that was built is the one that the image starts.
      #expect(instructions.contains { $0.contains("COPY --from=build /out/\(product) ") })
      #expect(instructions.contains("ENTRYPOINT [\"\(product)\"]"), "\(instructions)")
    }
    for traits in Self.words(after: "--traits", in: instructions) {
      for trait in traits.split(separator: ",") {
        #expect(manifest.contains("name: \"\(trait)\""), "\(trait)")
      }
    }
    for script in instructions.flatMap({ $0.matches(of: /Scripts\/[a-z]+/) }) {
      let place = Repository.root.appending(path: String(script.0)).path
      #expect(FileManager.default.isExecutableFile(atPath: place), "\(script.0)")
    }
  }

  /// A process of an image is no superuser, and ends as the server does by itself.
  @Test(arguments: files) func theImageRunsAsAUserOfItsOwn(_ path: String) throws {
    let instructions = try Self.instructions(path)
    let user = instructions.last { $0.hasPrefix("USER ") }?.dropFirst(5)
    #expect(user != nil && user != "root" && user != "0")
    #expect(instructions.contains("STOPSIGNAL SIGTERM"))
    let start = instructions.first { $0.hasPrefix("CMD ") || $0.hasPrefix("ENTRYPOINT ") }
    #expect(start != nil)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

/// Each rule is shown something bad, so that we know it can fail, and something good beside it.
struct RuleTests {
  private static let header = "// SPDX-License-Identifier: Apache-2.0\n\n// Why.\n\n"

  private func file(_ text: String, path: String = "Sources/RealmTables/Thing.swift") -> SourceFile
  {
    SourceFile(path: path, text: text)
  }

  private func source(_ code: String) -> SourceFile { file(Self.header + code) }

  @Test func licence() {
    #expect(TextRules.licenseLine(file("import Foundation\n")).count == 1)
    #expect(TextRules.licenseLine(source("")).isEmpty)
    let header = file("/* SPDX-License-Identifier: Apache-2.0 */\n", path: "Sources/C/a.h")
    #expect(TextRules.licenseLine(header).isEmpty)
    #expect(TextRules.licenseLine(file("int a;\n", path: "Sources/C/a.c")).count == 1)
  }

  @Test func purpose() {
    let bare = "// SPDX-License-Identifier: Apache-2.0\n\n/// A thing.\nstruct Thing {}\n"
    #expect(TextRules.purpose(file(bare)).count == 1)
    #expect(TextRules.purpose(source("struct Thing {}\n")).isEmpty)
  }

  @Test func lengths() {
    let long = String(repeating: "a", count: 101)
    #expect(TextRules.lineLength(source("// \(long)\n")).map(\.line) == [5])
    #expect(TextRules.lineLength(source(String(repeating: "é", count: 100))).isEmpty)
    #expect(TextRules.fileLength(source(String(repeating: "\n", count: 800))).count == 1)
    #expect(TextRules.fileLength(source(String(repeating: "\n", count: 700))).isEmpty)
  }

  /// `Synchronisation` 1.
  @Test func syncNeedsItsTrait() {
    func lines(_ folder: String, _ code: String) -> [Int] {
      TraitRules.sync(file(Self.header + code, path: "Sources/RealmSwift/\(folder)/A.swift"))
        .map(\.line)
    }
    #expect(lines("Sync", "#if Sync\nimport RealmSync\n#endif\n").isEmpty)
    #expect(lines("AppServices/Documents", "import RealmSync\n") == [5])
    #expect(lines("BSON", "#if Sync\nenum A {}\n#endif\nenum B {}\n") == [5])
    #expect(lines("Realm", "import RealmStorage\nimport RealmSync\n") == [6])
    #expect(lines("Realm", "enum A {}\n#if Sync\nenum B {}\n#endif\n") == [6])
    #expect(lines("Realm", "import RealmStorage\nenum A {}\n").isEmpty)
  }

  @Test func modulesNeedTheirTrait() {
    func lines(_ module: String, _ code: String) -> [Int] {
      TraitRules.modules(file(Self.header + code, path: "Sources/\(module)/A.swift")).map(\.line)
    }
    #expect(lines("RealmTools", "#if Tools\nenum A {}\n#endif\n").isEmpty)
    #expect(lines("RealmTools", "enum A {}\n") == [5])
    #expect(lines("RealmTools", "#if Server\nenum A {}\n#endif\n") == [5])
    #expect(lines("RealmServerServices", "#if Server\nenum A {}\n#endif\nenum B {}\n") == [5])
    #expect(lines("RealmServerEngine", "enum A {}\n").isEmpty)
  }

  @Test func continuationsLookAgain() {
    let blind = "  await withCheckedContinuation { waiters.append($0) }\n"
    #expect(CodeRules.continuationLists(source(blind)).map(\.line) == [5])
    let seeing = """
        await withCheckedContinuation { caller in
          if isBusy { waiters.append(caller) } else { caller.resume() }
        }
        await withCheckedContinuation { end in whenDone { end.resume() } }

      """
    #expect(CodeRules.continuationLists(source(seeing)).isEmpty)
  }

  @Test func functionLength() {
    let body = String(repeating: "  a()\n", count: 69)
    let long = "func f(a: Int = { 1 }()) {\n\(body)}\n"
    #expect(StructureRules.functionLength(source(long)).map(\.line) == [5])
    #expect(StructureRules.functionLength(source("init() {\n\(body)}\n")).count == 1)
    let short = "func f() {\n" + String(repeating: "  a()\n", count: 68) + "}\n"
    #expect(StructureRules.functionLength(source(short)).isEmpty)
    let requirements = "protocol P {\n  func a()\n  func b() throws\n}\nfunc c() {}\n"
    #expect(StructureRules.functionLength(source(requirements + "\n\(body)")).isEmpty)
    let call = "let a = self.init(b) {\n\(body)}\n"
    #expect(StructureRules.functionLength(source(call)).isEmpty)
  }

  @Test(arguments: ["TO" + "DO", "FIX" + "ME", "X" + "XX"])
  func leftovers(word: String) {
    #expect(TextRules.leftovers(source("a()  // \(word): later\n")).count == 1)
    #expect(TextRules.leftovers(source("let a = \"// \(word)\"\n")).isEmpty)
    #expect(TextRules.leftovers(source("/* a\n \(word) */\n")).map(\.line) == [6])
  }

  @Test func timeLimits() {
    let path = "Tests/RealmTablesTests/ThingTests.swift"
    func limits(_ code: String) -> [Int] {
      TestRules.timeLimits(file(Self.header + code, path: path)).map(\.line)
    }
    #expect(limits("@Test(.timeLimit(.minutes(9))) func a() {}\n") == [5])
    #expect(limits("@Suite(.serialized, .timeLimit(.minutes(1))) struct A {}\n") == [5])
    #expect(limits("@Test(.timeLimit(.minutes(10))) func a() {}\n") == [])
    #expect(limits("let a = \".timeLimit(.minutes(1))\"\n") == [])
    #expect(
      limits("@Suite(.timeLimit(.minutes(10))) struct A {\n  @Test(.heavy) func a() {}\n}\n") == [6]
    )
  }

  @Test func forcedTry() {
    #expect(CodeRules.forcedTry(source("let a = try! b()\n")).count == 1)
    #expect(CodeRules.forcedTry(source("let a = try b()  // try!\nlet c = \"try!\"\n")).isEmpty)
  }

  @Test func printing() {
    #expect(CodeRules.printing(source("print(a)\n")).count == 1)
    #expect(CodeRules.printing(source("printer.print(a)\nfootprint(a)\n")).isEmpty)
    let test = file(Self.header + "print(a)\n", path: "Tests/StyleTests/A.swift")
    #expect(CodeRules.printing(test).isEmpty)
  }

  @Test(arguments: ["fatalError()\n", "unsafe precondition(a)\n", "a { preconditionFailure(b) }\n"])
  func traps(code: String) {
    #expect(TrapRules.traps(source(code)).map(\.line) == [5], "\(code)")
    let listed = file(Self.header + code, path: "Sources/RealmSession/Session/RealmException.swift")
    #expect(TrapRules.traps(listed).isEmpty)
    let test = file(Self.header + code, path: "Tests/StyleTests/A.swift")
    #expect(TrapRules.traps(test).isEmpty)
    #expect(
      TrapRules.traps(source("assert(a)  // fatalError()\nlet a = \"precondition(\"\n")).isEmpty)
  }

  @Test func uninitializedArrays() {
    let code = "let a = [B](unsafeUninitializedCapacity: c) { _, _ in }\n"
    #expect(CodeRules.uninitializedArrays(source(code)).count == 1)
    let text = "String(unsafeUninitializedCapacity: 24) { _ in 0 }\n"
    #expect(CodeRules.uninitializedArrays(source(text)).isEmpty)
  }

  @Test(arguments: [
    "@TaskLocal static var a: (() -> Void)?\n",
    "typealias B = @Sendable () -> Void\n@TaskLocal\nstatic var a: B?\n",
  ])
  func taskLocalFunctions(_ code: String) {
    #expect(CodeRules.taskLocalFunctions(source(code)).count == 1)
  }

  @Test func otherTaskLocalValues() {
    let code = "struct B {\n  let c: () -> Void\n}\n@TaskLocal static var a: B?\n"
    #expect(CodeRules.taskLocalFunctions(source(code)).isEmpty)
  }

  @Test func benchmarkDeletions() {
    let code = Self.header + "try FileManager.default.removeItem(at: folder)\n"
    let benchmark = file(code, path: "Benchmarks/Sources/realm-queries/A.swift")
    #expect(CodeRules.benchmarkDeletions(benchmark).count == 1)
    let support = file(code, path: "Benchmarks/Sources/BenchmarkSupport/A.swift")
    #expect(CodeRules.benchmarkDeletions(support).isEmpty)
    #expect(CodeRules.benchmarkDeletions(source(code)).isEmpty)
  }

  @Test(arguments: ["let a = b!\n", "b()!.c()\n", "b[1]! += 1\n", "let a = b as! C\n"])
  func forceUnwrap(code: String) {
    #expect(CodeRules.forceUnwrap(source("import A\n\n\n\(code)")).count == 1, "\(code)")
    #expect(CodeRules.forceUnwrap(source("// It was set above.\n\(code)")).isEmpty)
  }

  @Test(arguments: ["if !a {}\n", "a != b\n", "a!=b\n", "var a: B!\n", "let a = \"b!\"\n"])
  func noForceUnwrap(code: String) {
    #expect(CodeRules.forceUnwrap(source("import A\n\n\n\(code)")).isEmpty, "\(code)")
  }

  @Test func uncheckedConcurrency() {
    let code = "import A\n\n\n\n\nfinal class B: @unchecked Sendable {}\n"
    #expect(CodeRules.uncheckedConcurrency(source(code)).count == 1)
    let unsafe = "import A\n\n\n\n\nnonisolated(unsafe) var b = 1\n"
    #expect(CodeRules.uncheckedConcurrency(source(unsafe)).count == 1)
    let reasoned = "import A\n\n// Guarded by the lock.\nnonisolated(unsafe) var b = 1\n"
    #expect(CodeRules.uncheckedConcurrency(source(reasoned)).isEmpty)
  }

  @Test func primaryType() {
    #expect(StructureRules.primaryType(source("struct Other {}\n")).count == 1)
    #expect(StructureRules.primaryType(source("struct Thing {}\nenum Small {}\n")).isEmpty)
    #expect(StructureRules.primaryType(source("extension Outer.Thing {}\n")).isEmpty)
    let body = String(repeating: "  var a: Int\n", count: 70)
    let two = source("struct Thing {}\nstruct Large {\n\(body)}\n")
    #expect(StructureRules.primaryType(two).map(\.line) == [6])
    let hidden = source("struct Thing {}\nprivate struct Large {\n\(body)}\n")
    #expect(StructureRules.primaryType(hidden).isEmpty)
    let several = source("extension One {}\nextension Two {}\n")
    #expect(StructureRules.primaryType(several).isEmpty)
    #expect(StructureRules.primaryType(source("protocol _Thing {}\n")).isEmpty)
    let topic = file(Self.header + "extension Thing {}\n", path: "Sources/A/Thing+Write.swift")
    #expect(StructureRules.primaryType(topic).isEmpty)
  }

  @Test(arguments: [
    "package func a() {}\n",
    "// Not documentation.\npackage func a() {}\n",
    "/// Of something else.\nlet b = 1\npackage func a() {}\n",
    "@available(\n  *, unavailable\n)\npublic static func a() {}\n",
    "@inlinable package subscript(a: Int) -> Int { a }\n",
    "final package class A {}\n",
    "package class func a() {}\n",
  ])
  func documentationMissing(code: String) {
    #expect(DocumentationRule.check(source(code)).count == 1, "\(code)")
  }

  @Test(arguments: [
    "/// A.\npackage func a() {}\n",
    "/// A.\n@available(\n  *, unavailable\n)\n@inlinable\npublic static func a() {}\n",
    "/** A. */\npackage func a() {}\n",
    "package init() {}\n",
    "package import RealmStorage\n",
    "package extension A {}\n",
    "f(open)\nlet a = 1\n",
    "func a() {}\n",
    "/// A.\npublic package(set) var a = 1\n",
    "package override func a() {}\n",
    "package static func == (a: A, b: A) -> Bool { true }\n",
    "public func hash(into hasher: inout Hasher) {}\n",
    "public init(from decoder: any Decoder) throws {}\n",
  ])
  func documentationPresent(code: String) {
    #expect(DocumentationRule.check(source(code)).isEmpty, "\(code)")
  }

  @Test func documentationOfTheAPI() {
    let code = Self.header + "public let a = 1\npublic init() {}\npackage func b() {}\n"
    let api = file(code, path: "Sources/RealmSwift/Thing.swift")
    #expect(DocumentationRule.check(api).map(\.line) == [5, 6])
  }

  @Test func requirementsDocumentTheirWitnesses() {
    let leaf = source("protocol Leaf {\n  /// The length.\n  static func count() -> Int\n}\n")
    #expect(DocumentationRule.requirements(leaf) == ["count"])
    let witness = source("package static func count() -> Int { 1 }\n")
    #expect(DocumentationRule.check(witness).count == 1)
    #expect(DocumentationRule.check(witness, requirements: ["count"]).isEmpty)
  }

  @Test func namesThatOnlyBeginAlike() {
    #expect(NameRules.retiredNames(source("let guarded = Passages(1).Guardedly\n")).isEmpty)
  }

  @Test(arguments: ["Guarded", "GuardedValue", "_Passage", "@Passage"])
  func retiredNames(name: String) {
    #expect(NameRules.retiredNames(source("let a = \(name)(1)\n")).map(\.line) == [5])
    #expect(NameRules.retiredNames(source("// \(name)\nlet a = \"\(name)\"\n")).isEmpty)
  }

  @Test func importsPointDown() {
    #expect(ModuleOrder.imports(source("import RealmStorage\n")).isEmpty)
    #expect(ModuleOrder.imports(source("package import RealmQuery\n")).count == 1)
    #expect(ModuleOrder.imports(source("import struct Foundation.Data\n")).count == 1)
    let lost = file(Self.header, path: "Sources/Elsewhere/A.swift")
    #expect(ModuleOrder.imports(lost).count == 1)
  }

  @Test func manifestPointsDown() {
    let good = """
      .target(name: "RealmStorage", dependencies: ["CRealmPlatform"], swiftSettings: [.a(b)]),
      .testTarget(name: "RealmStorageTests", dependencies: ["RealmSwift"]),
      """
    #expect(ModuleOrder.manifest(good).isEmpty)
    let bad = """
      .target(
        name: "RealmStorage",
        dependencies: ["CRealmPlatform", "RealmTables"]),
      """
    #expect(ModuleOrder.manifest(bad).map(\.message) == ["RealmStorage depends on RealmTables"])
  }

  @Test func lexer() {
    let text = ##"""
      let a = "x \("y" + f(1)) z"; let b = #"\" ! "#
      let c = """
        ! "
        """
      """##
    let lexer = Lexer(text)
    #expect(lexer.tokens.filter { $0.kind == .string }.map(\.line) == [1, 1, 2])
    #expect(lexer.tokens.map(\.text).contains("c"))
    #expect(!lexer.tokens.map(\.text).contains("!"))
  }
}

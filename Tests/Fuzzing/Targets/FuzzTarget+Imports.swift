// SPDX-License-Identifier: Apache-2.0

// Files of rows that tools import.

#if Tools && Server
import RealmQuery
import RealmStorage
import RealmTestSupport
import RealmTools

extension FuzzTarget {
  /// Imports a file of rows: the first byte says in which form.
  static let rows = FuzzTarget(
    name: "rows", byteCountMax: 2_048,
    run: { input, folder in
      guard let first = input.first else { return .refused }
      let path = try folder.write(Array(input.dropFirst()), "input.txt")
      let encodings: [InputEncoding?] = [nil, .utf16, .latin1, .windows1252]
      let target = folder.file("imported.realm")
      defer { folder.remove("imported.realm", "imported.realm.lock") }
      do {
        let source = try ImportSource(
          path: path, format: first & 1 == 0 ? .json : .csv,
          className: first & 2 == 0 ? "Dog" : nil,
          separator: first & 4 == 0 ? nil : ";", encoding: encodings[Int(first >> 3) & 3])
        let writer = try RealmWriter(path: target, creates: true)
        let plan = try ImportPlan(of: source, into: try StoredSchema(try writer.group()))
        _ = plan.text
        var options = Importer.Options()
        options.skipsBadRows = first & 32 != 0
        options.batchSize = first & 64 != 0 ? 2 : nil
        _ = try Importer(source, plan, options).run(writer)
        return .read
      } catch let error as StorageError {
        // The command says it in other words.
        if case .corrupted = error { throw error }
        return .refused
      } catch is ToolFailure {
        return .refused
      } catch is BadRow { return .refused }
    },
    seeds: { _ in
      rowTexts.flatMap { format, text in
        ([0, 2, 32, 96] as [UInt8]).map { [$0 | format] + Array(text.utf8) }
      }
    })

  private static let rowTexts: [(format: UInt8, text: String)] = [
    (1, "id,name,zip\n1,Rex,0150\n2,\"Fi \"\"do\"\"\",0151\n"),
    (1, "#,id,name\n0,1,'=x\n1,2,\"a\nb\"\n"), (5, "id;born\n1;2020-02-29\n2;31.12.2024\n"),
    (0, #"{"a":1,"c":[1,2],"d":[1,"x"],"e":"2020-01-01T00:00:00Z","f":{"x":1}}"# + "\n"),
    (0, #"[{"id":1,"name":"Rex"},{"id":2,"name":null}]"#),
    (0, #"{"$class":"Dog","id":1,"owner":{"$object":3}}"# + "\n"),
    (
      0,
      #"{"$schema":{"classes":[{"name":"Dog","kind":"topLevel","primaryKey":"id","#
        + #""properties":[{"name":"id","type":"int"},{"name":"o","type":"link","target":"Dog","#
        + #""nullable":true}]}]}}"# + "\n"
        + #"{"$class":"Dog","id":1,"o":2}"# + "\n" + #"{"$class":"Dog","id":2,"o":null}"# + "\n"
    ),
    (0, #"{"_id":{"$oid":"507f1f77bcf86cd799439011"},"d":{"$date":"2020-01-01T00:00:00Z"}}"#),
  ]
}
#endif

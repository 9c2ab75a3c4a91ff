// SPDX-License-Identifier: Apache-2.0

// The folder of an app that is declared in Swift, at the server's start.
//
// Invariants:
// 1. The files of an app with settings and classes in Swift are those that an operator would have
//    written: commands read them, and the server does.

#if Server
import RealmDeclarations
import RealmServerEngine
import RealmServerServices
import RealmSwift

extension AppDefinition {
  /// Writes the files that the folder of the app lacks, or has otherwise.
  func prepare(_ directory: ServerDirectory) throws(ServerFailure) {
    guard AppFile.isID(id) else {
      throw ServerFailure(
        "\"\(id)\" is no id of an app: it needs 1 to 64 lower-case letters, digits, \"-\" and "
          + "\"_\"."
      )
    }
    let path = directory.appFilePath(id)
    if let settings {
      let file = settings.file(of: id, hooks)
      let text = try Self.text(file)
      if directory.exists(path) {
        let known = try directory.app(id)
        guard known.mode == file.mode else {
          throw ServerFailure(
            "\(path) has another \"sync\" than the program: devices keep their files, so it stays.")
        }
      }
      try directory.makeApp(id, text: text)
    } else if !directory.exists(path) {
      try directory.makeApp(id, text: Self.text(AppFile(id: id, name: id)))
    }
    if !classes.isEmpty { try addClasses(directory) }
  }

  private static func text(_ file: AppFile) throws(ServerFailure) -> String {
    do throws(AppFileError) {
      return try file.text() + "\n"
    } catch {
      throw ServerFailure("The app \(file.id) of the program \(error). Correct its settings.")
    }
  }

  private func addClasses(_ directory: ServerDirectory) throws(ServerFailure) {
    let known = try directory.schema(of: id)
    var schema = known ?? AppSchema()
    let conflicts = schema.add(DeclaredSchema(ClassDeclaration.all(classes)))
    guard conflicts.isEmpty else {
      throw ServerFailure(
        "\(directory.schemaPath(id)) has other definitions of \(conflicts.joined(separator: ", ")) "
          + "than the program: what devices have cannot change. Give the new ones other names.")
    }
    if schema != known {
      try directory.write(Array(schema.text.utf8), to: directory.schemaPath(id))
    }
  }
}

extension DeclaredSchema {
  /// The declarations of model classes.
  init(_ classes: [ClassDeclaration]) {
    self.init(
      classes.map { type in
        Class(
          name: type.name, kind: type.kind, primaryKey: type.primaryKey,
          properties: type.properties.map { property in
            Property(
              name: property.name, type: property.type, collection: property.collection,
              isNullable: property.isNullable, index: property.index, target: property.target)
          })
      })
  }
}
#endif

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// True if the item is the result of the function, closure or getter that contains it, because it is the only
/// expression of the body.
func isResult(_ item: CodeBlockItemSyntax) -> Bool {
    guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
    var owner = list.parent
    if let block = owner?.as(CodeBlockSyntax.self) { owner = block.parent }
    guard let owner else { return false }
    switch owner.as(SyntaxEnum.self) {
    case .functionDecl(let function): return function.signature.returnClause != nil
    case .closureExpr, .accessorBlock, .accessorDecl: return true
    case .ifExpr(let branch): return isResult(Syntax(branch))
    case .switchCase: return isResult(owner.parent?.parent)
    default: return false
    }
}

/// True if an `if` or `switch` is used as a value; false if it is a statement.
private func isResult(_ branching: Syntax?) -> Bool {
    guard let parent = branching?.parent else { return false }
    if let outer = parent.as(IfExprSyntax.self) { return isResult(Syntax(outer)) }
    if let item = parent.as(ExpressionStmtSyntax.self)?.parent?.as(CodeBlockItemSyntax.self) { return isResult(item) }
    return true
}

extension SyntaxProtocol {
    /// True inside an initializer, where assignments give members their first values.
    var isInInitializer: Bool {
        var node = parent
        while let current = node {
            if current.is(InitializerDeclSyntax.self) { return true }
            if current.is(FunctionDeclSyntax.self) || current.is(AccessorDeclSyntax.self) { return false }
            node = current.parent
        }
        return false
    }
}

"""Writes trees of LightGBM in the form that anamne-forest reads."""

import numpy as np


def tree_lines(model):
    """A line for each tree that has a node: its inner nodes in order, the root first, then its leaves from left to right."""
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    return [tree_text(tree) for tree in trees if "leaf_value" not in tree]


def tree_text(root):
    nodes, leaves = [], []

    def place(node):
        if "leaf_value" in node:
            leaves.append(f"{node['leaf_value']:.5g}")
            return f"l{len(leaves) - 1}"
        own = len(nodes)
        nodes.append(None)
        threshold = np.float32(node["threshold"])
        below, above = place(node["left_child"]), place(node["right_child"])
        nodes[own] = f"{node['split_feature']}<={threshold:.7g}?{below}:{above}"
        return f"n{own}"

    place(root)
    return " ".join(nodes + leaves)
